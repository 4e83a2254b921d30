"""Headwater's client in Python's standard library: views that resume, and actions that wait in a queue.

    python3 Examples/client.py http://127.0.0.1:8080 main/cart.orders main/cart.totalPrice     follows views

Actions are performed once and in their order, across lost connections, restarts of the server and, with `store`, of the
program: the path of a file that keeps the queue. A server answers an action for 30 days after the last one of the client.
"""

import base64
import concurrent.futures
import contextlib
import http.client
import itertools
import json
import random
import re
import secrets
import sqlite3
import sys
import threading
import time
import urllib.parse

ANSWER_SECONDS, SILENCE_SECONDS = 30, 45  # A live stream is never silent for longer than 15 seconds.
PASSING = {425, 429, 502, 503, 504}

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

class Queue:
    """The actions of a client, in their order, in a file or in memory."""
    def __init__(self, path):
        self.lock, self.table = threading.RLock(), sqlite3.connect(path or ":memory:", check_same_thread=False, isolation_level=None)
        self.table.executescript("""
            CREATE TABLE IF NOT EXISTS actions (id INTEGER PRIMARY KEY AUTOINCREMENT, space, name, input, n INTEGER, problem);
            CREATE TABLE IF NOT EXISTS numbers (space PRIMARY KEY, n INTEGER);
            CREATE TABLE IF NOT EXISTS client (name);""")
        if not self.rows("SELECT name FROM client"):
            self.rows("INSERT INTO client VALUES (?)", base64.urlsafe_b64encode(secrets.token_bytes(16)).decode().rstrip("="))
        [(self.client,)] = self.rows("SELECT name FROM client")

    def rows(self, statement, *values):
        with self.lock:
            return self.table.execute(statement, values).fetchall()

    def add(self, space, name, text):
        with self.lock:
            return self.table.execute("INSERT INTO actions (space, name, input) VALUES (?, ?, ?)", (space, name, text)).lastrowid

    def number(self, entry, space):
        """Returns the number of an action, which it gets just before it is sent for the first time; 0 if it was discarded."""
        with self.lock, self.table:
            self.table.execute("BEGIN")
            [(number,)] = self.rows("SELECT n FROM actions WHERE id = ?", entry) or [(0,)]
            if number is None:
                self.rows("INSERT INTO numbers VALUES (?, 1) ON CONFLICT (space) DO UPDATE SET n = n + 1", space)
                [(number,)] = self.rows("SELECT n FROM numbers WHERE space = ?", space)
                self.rows("UPDATE actions SET n = ? WHERE id = ?", number, entry)
            return number

class Client:
    """`token` is a text, or a function that returns one. `on_refused(action, problem)` hears of refused actions of an
    earlier program; they stay in `pending()` until `retry(id)` or `discard(id)`."""
    def __init__(self, url, token=None, sleep=time.sleep, store=None, on_refused=lambda action, problem: None):
        self.address, self.token, self.sleep = urllib.parse.urlsplit(url), token, sleep
        self.queue, self.on_refused, self.state = Queue(store), on_refused, "connecting"
        self.futures, self.wake, self.sender, self.gone = {}, threading.Condition(), None, {}
        if self.status["waiting"]:
            self.begin()

    @contextlib.contextmanager
    def request(self, method, path, body=None, fields=None, seconds=ANSWER_SECONDS):
        secure = http.client.HTTPSConnection if self.address.scheme == "https" else http.client.HTTPConnection
        with contextlib.closing(secure(self.address.netloc, timeout=seconds)) as connection:
            text = self.token() if callable(self.token) else self.token
            token = {"Authorization": f"Bearer {text}"} if text else {}
            connection.request(method, path, body, {"Content-Type": "application/json", **token, **(fields or {})})
            yield connection.getresponse()

    def pause(self, failures, seconds=None):
        """Waits as long as the server says, or longer after each failure."""
        self.sleep(float(seconds or 0.3 * 2 ** min(failures, 4) * random.uniform(0.5, 1.5)))

    def passes(self, status):
        """True if the server may answer otherwise later."""
        return status in PASSING or status == 401 and callable(self.token)

    def post(self, name, text, space, fields):
        """Sends an action until the server answers. Returns the answer, or raises a Refusal."""
        for failures in itertools.count():
            seconds = status = None
            with contextlib.suppress(OSError, http.client.HTTPException):
                with self.request("POST", f"/v1/spaces/{space}/{name}", text, fields) as answer:
                    content, seconds, status = answer.read(), answer.getheader("Retry-After"), answer.status
                    if status == 200:
                        return json.loads(content)
                    if status == 410 and json.loads(content).get("type") == "/problems/answered-before":
                        return {"space": space, "isUnknown": True}
                    if not self.passes(status):
                        raise Refusal(status, json.loads(content))
            self.state = "needs-auth" if status == 401 else self.state if status else "offline"
            self.pause(failures, seconds)

    # Actions

    def act(self, name, parameters=None, space="main", key=None):
        """Performs an action, after those that wait, and returns its answer, or raises a Refusal. With a key the action
        is sent at once, outside the queue, and performed once in 24 hours."""
        if key:
            return self.post(name, json.dumps(parameters or {}), space, {"Idempotency-Key": key})
        return self.send(name, parameters, space).result()

    def send(self, name, parameters=None, space="main"):
        """Puts an action into the queue, and returns a Future of its answer."""
        future = concurrent.futures.Future()
        with self.wake:
            self.futures[self.queue.add(space, name, json.dumps(parameters or {}))] = future
            self.begin()
        return future

    def begin(self):
        with self.wake:
            self.wake.notify()
            if not self.sender:
                self.sender = threading.Thread(target=self.run, daemon=True)
                self.sender.start()

    def run(self):
        while True:
            with self.wake:
                while not (first := self.queue.rows("SELECT id, space, name, input FROM actions WHERE problem IS NULL ORDER BY id LIMIT 1")):
                    self.wake.wait()
            entry, space, name, text = first[0]
            if not (number := self.queue.number(entry, space)):
                continue
            try:
                answer, refusal = self.post(name, text, space, {"Headwater-Queue": f"{self.queue.client};{number};{number - 1}"}), None
            except Refusal as error:
                answer, refusal = None, error
            with self.wake:
                future = self.futures.pop(entry, None)
                if future or not refusal:
                    self.queue.rows("DELETE FROM actions WHERE id = ?", entry)
                else:
                    self.queue.rows("UPDATE actions SET problem = ? WHERE id = ?", json.dumps(refusal.problem), entry)
            if future:
                future.set_exception(refusal) if refusal else future.set_result(answer)
            elif refusal:
                self.on_refused({"id": entry, "name": name, "input": json.loads(text), "space": space}, refusal.problem)

    def pending(self):
        """Returns the actions that wait, or were refused, in their order."""
        rows = self.queue.rows("SELECT id, name, input, space, n, problem FROM actions ORDER BY id")
        return [{"id": entry, "name": name, "input": json.loads(text), "space": space, "problem": json.loads(problem or "null"),
                 "state": "refused" if problem else "sent" if number else "waiting"} for entry, name, text, space, number, problem in rows]

    def retry(self, entry):
        """Sends a refused action again, after those that wait. False if there is none."""
        for space, name, text in self.queue.rows("DELETE FROM actions WHERE id = ? AND problem IS NOT NULL RETURNING space, name, input", entry):
            self.queue.add(space, name, text)
            self.begin()
            return True
        return False

    def discard(self, entry):
        """Takes an action out of the queue that was not sent, or was refused. False if there is none."""
        found = self.queue.rows("DELETE FROM actions WHERE id = ? AND (n IS NULL OR problem IS NOT NULL) RETURNING id", entry)
        if found and (future := self.futures.pop(entry, None)):
            future.cancel()
        return bool(found)

    @property
    def status(self):
        """The state of the last request, and the numbers of actions that wait and that were refused."""
        [(waiting, refused)] = self.queue.rows("SELECT count(*) - count(problem), count(problem) FROM actions")
        return {"state": self.state, "waiting": waiting, "refused": refused}

    # Views

    def follow(self, *watched):
        """Yields (values, versions) after each change of views, each named space/feature.view. Resumes by itself. A view
        that cannot be read has no value; its problem is in `gone`."""
        values, versions, tags = {}, {}, dict.fromkeys(watched)
        for failures in itertools.count():
            seconds = status = None
            with contextlib.suppress(OSError, http.client.HTTPException):
                wish = json.dumps({"watch": tags, "client": self.queue.client, "progress": True, "delta": "json-patch"})
                with self.request("POST", "/v1/live", wish, {"Accept": "text/event-stream"}, SILENCE_SECONDS) as stream:
                    seconds, status = stream.getheader("Retry-After"), stream.status
                    if status != 200 and not self.passes(status):
                        raise Refusal(status, json.loads(stream.read()))
                    for kind, news in events(stream) if status == 200 else ():
                        self.state = "live"
                        if kind == "stream":
                            continue
                        parts = {name: news.pop(name, {}) for name in ("_patches", "_tags", "_versions", "_queue", "_reset", "_gone")}
                        changed = {name: patch(values[name], operations) for name, operations in parts["_patches"].items()} | news
                        self.gone = {name: problem for name, problem in self.gone.items() if name not in changed} | parts["_gone"]
                        before = (values, versions)
                        values = {name: value for name, value in {**values, **changed}.items() if name not in parts["_gone"]}
                        versions, tags = {**versions, **parts["_versions"]}, {**tags, **parts["_tags"], **dict.fromkeys(parts["_gone"])}
                        if (values, versions) != before or parts["_gone"]:
                            yield values, versions
            self.state = "needs-auth" if status == 401 else "offline"
            self.pause(0 if status == 200 else min(failures, 4), seconds)

def events(stream):
    """Yields the name and the data of each event."""
    event = {}
    for line in stream:
        name, _, value = line.decode().rstrip("\n").partition(": ")
        if line.strip():
            event[name] = value
            continue
        if "data" in event:
            yield event.get("event"), json.loads(event["data"])
        event = {}


if __name__ == "__main__":
    for now, _ in Client(sys.argv[1]).follow(*sys.argv[2:]):
        print(json.dumps(now, ensure_ascii=False), flush=True)
