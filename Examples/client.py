"""Headwater's client in Python's standard library: views, patches, resumed streams, actions that are retried.

    python3 Examples/client.py http://127.0.0.1:8080 main/cart.orders main/cart.totalPrice     follows views
"""

import contextlib
import http.client
import itertools
import json
import random
import re
import sys
import time
import urllib.parse
import uuid

ANSWER_SECONDS, SILENCE_SECONDS = 30, 45  # A live stream is never silent for longer than 15 seconds.
PASSING = {429, 502, 503, 504}

class Refusal(Exception):
    """The server refuses a request; `problem` is the problem document (RFC 9457)."""
    def __init__(self, status, problem):
        super().__init__(problem.get("detail", f"status {status}"))
        self.status, self.problem = status, problem

def steps(path):
    if path and path[0] != "/":
        raise ValueError(f"{path!r} is no pointer")
    return [step.replace("~1", "/").replace("~0", "~") for step in path.split("/")[1:]]

def place(node, step, is_new=False):
    """Returns the key or the index of a step."""
    if isinstance(node, dict) and (is_new or step in node):
        return step
    if isinstance(node, list) and is_new and step == "-":
        return len(node)
    if isinstance(node, list) and re.fullmatch("0|[1-9][0-9]*", step) and int(step) < len(node) + is_new:
        return int(step)
    raise ValueError(f"there is no {step!r}")

def find(node, path):
    for step in path:
        node = node[place(node, step)]
    return node

def edit(node, path, operation, value=None):
    """Returns a copy of a node with one edit."""
    if not path:
        return value
    is_new = operation == "add" and len(path) == 1
    key = place(node, path[0], is_new)
    copy = node.copy()
    if len(path) > 1:
        copy[key] = edit(node[key], path[1:], operation, value)
    elif operation == "remove":
        del copy[key]
    elif is_new and isinstance(copy, list):
        copy.insert(key, value)
    else:
        copy[key] = value
    return copy

def patch(document, operations):
    """Applies a JSON Patch (RFC 6902). The result shares all parts that are not on a changed path."""
    for each in operations:
        operation, path = each["op"], steps(each["path"])
        if operation in ("move", "copy"):
            moved = find(document, steps(each["from"]))
            document = edit(document, steps(each["from"]), "remove") if operation == "move" else document
            document = edit(document, path, "add", moved)
        elif operation == "test":
            # As text: true is not 1, and the order of members has no meaning.
            found, expected = (json.dumps(value, sort_keys=True) for value in (find(document, path), each["value"]))
            if found != expected:
                raise ValueError(f"a test failed at {each['path']!r}")
        elif operation == "remove":
            document = edit(document, path, operation)
        elif operation in ("add", "replace"):
            document = edit(document, path, operation, each["value"])
        else:
            raise ValueError(f"{operation!r} is no operation")
    return document

class Client:
    def __init__(self, url, token=None, sleep=time.sleep):
        self.address, self.token, self.sleep = urllib.parse.urlsplit(url), token, sleep

    @contextlib.contextmanager
    def request(self, method, path, body=None, fields=None, seconds=ANSWER_SECONDS):
        secure = http.client.HTTPSConnection if self.address.scheme == "https" else http.client.HTTPConnection
        with contextlib.closing(secure(self.address.netloc, timeout=seconds)) as connection:
            token = {"Authorization": f"Bearer {self.token}"} if self.token else {}
            connection.request(method, path, body, {**token, **(fields or {})})
            yield connection.getresponse()

    def pause(self, failures, seconds=None):
        """Waits as long as the server says, or longer after each failure."""
        self.sleep(float(seconds or 0.3 * 2 ** min(failures, 4) * random.uniform(0.5, 1.5)))

    def act(self, name, parameters=None, space="main", key=None):
        """Performs an action once: sends it until the server answers. Returns the answer, or raises a Refusal."""
        fields = {"Content-Type": "application/json", "Idempotency-Key": key or str(uuid.uuid4())}
        for failures in itertools.count():
            seconds = None
            with contextlib.suppress(OSError, http.client.HTTPException):
                with self.request("POST", f"/v1/spaces/{space}/{name}", json.dumps(parameters or {}), fields) as answer:
                    content, seconds = answer.read(), answer.getheader("Retry-After")
                    if answer.status == 200:
                        return json.loads(content)
                    if answer.status not in PASSING:
                        raise Refusal(answer.status, json.loads(content))
            self.pause(failures, seconds)

    def follow(self, *watched):
        """Yields (values, versions) after each change of views, each named space/feature.view. Resumes by itself."""
        path = "/v1/live?events=1&delta=json-patch" + "".join(f"&watch={urllib.parse.quote(one, '')}" for one in watched)
        values, versions, last, failures = {}, {}, "", 0
        while True:
            with contextlib.suppress(OSError, http.client.HTTPException):
                with self.request("GET", path, None, {"Last-Event-ID": last} if last else {}, SILENCE_SECONDS) as stream:
                    if stream.status != 200 and stream.status not in PASSING:
                        raise Refusal(stream.status, json.loads(stream.read()))
                    for kind, last, news in events(stream, last) if stream.status == 200 else ():
                        versions, failures = {**versions, **news.pop("_versions", {})}, 0
                        if kind == "patch":
                            news = {name: patch(values[name], operations) for name, operations in news.items()}
                        # After a reset an event with all values follows.
                        values = {**values, **news}
                        if kind != "reset":
                            yield values, versions
            self.pause(failures)
            failures += 1

def events(stream, last):
    """Yields the name, the id and the data of each event."""
    event = {}
    for line in stream:
        name, _, value = line.decode().rstrip("\n").partition(": ")
        if line.strip():
            event[name] = value
            continue
        last = event.get("id", last)
        if "data" in event:
            yield event.get("event"), last, json.loads(event["data"])
        event = {}


if __name__ == "__main__":
    for now, _ in Client(sys.argv[1]).follow(*sys.argv[2:]):
        print(json.dumps(now, ensure_ascii=False), flush=True)
