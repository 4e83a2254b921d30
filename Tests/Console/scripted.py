"""A small server of the contract's /v1/live and actions, whose failures a test writes."""

import http.server
import json
import pathlib
import queue
import socket
import threading
import time
import urllib.parse

CLIENT = pathlib.Path("Sources/CAssets/Client/client.js")
# The beginning of what the server gives in place of a token.
TICKET = "a-ticket_of-the-test"
PERSONAL = "a.me"
PATIENCE_SECONDS = 20
BLANK = "<!doctype html><meta charset=utf-8><title>blank</title>"


class ScriptedServer:
    """Spaces with one state each: view name → JSON value. An action `feature/set` sets views: {"views": {name: value}}.

    With `tokens`, token → subject, requests need one of these. The value of the view PERSONAL is the subject of its reader.
    """

    def __init__(self, tokens=None):
        self.tokens = tokens
        self.tickets = {}
        # The answers to tickets and to actions wait for these.
        self.tickets_pass = threading.Event()
        self.streams_pass = threading.Event()
        self.streams_pass.set()
        self.answers_pass = threading.Event()
        self.tickets_pass.set()
        self.answers_pass.set()
        # The subjects of all streams, in the order in which they were opened.
        self.readers = []
        self.lock = threading.RLock()
        self.port = 0
        self.life = 1
        self.reset()
        # Statuses with which the next actions are answered before they are performed, and whether answers get lost.
        self.refusals = []
        self.lost_answers = 0
        self.retry_after = None
        self.requests = []
        self.streams = set()
        self.start()

    def reset(self):
        """Forgets all spaces and begins a new life."""
        with self.lock:
            self.values = {}
            self.versions = {}
            self.keys = {}
            self.life += 1

    # MARK: Life

    def start(self):
        outer = self

        class Handler(RequestHandler):
            server_state = outer

        http.server.ThreadingHTTPServer.allow_reuse_address = True
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self.http.daemon_threads = True
        self.port = self.http.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def stop(self):
        """Closes the listener and all streams."""
        self.http.shutdown()
        self.http.server_close()
        with self.lock:
            for stream in list(self.streams):
                stream.events.put(None)

    # MARK: State

    def value(self, watch, reader):
        space, name = watch.split("/", 1)
        return reader if name == PERSONAL else self.values.get(space, {}).get(name, 0)

    def set(self, space, views, tell=True):
        """Commits values. With `tell=False` no stream hears of it."""
        with self.lock:
            self.versions[space] = self.versions.get(space, 0) + 1
            self.values.setdefault(space, {}).update(views)
            for stream in self.streams if tell else []:
                stream.step({f"{space}/{name}" for name in views})
            return self.versions[space]

    def watched(self):
        """Returns the watched views of each open stream, in order."""
        with self.lock:
            return sorted(sorted(stream.watched) for stream in self.streams)


class Stream:
    def __init__(self, state, reader, watched, last_id):
        self.state = state
        self.reader = reader
        self.watched = watched
        self.last_id = last_id
        self.events = queue.Queue()
        self.sent = {}

    def value(self, watch):
        return self.state.value(watch, self.reader)

    def tag(self):
        values = json.dumps([self.value(one) for one in self.watched] + self.watched)
        return f"{self.state.life}.{abs(hash(values))}"

    def seen_versions(self):
        spaces = {one.split("/", 1)[0] for one in self.watched}
        return {space: f"{self.state.versions.get(space, 0)}.0" for space in sorted(spaces)}

    def begin(self):
        life, _, digest = self.last_id.partition(".")
        self.sent = {one: self.value(one) for one in self.watched}
        if self.last_id == self.tag():
            return
        if life and life != str(self.state.life):
            self.events.put(("reset", None, {}))
        # The server writes parameters in an order of its own.
        data = {canonical(one): value for one, value in self.sent.items()}
        self.events.put((None, self.tag(), data | {"_versions": self.seen_versions()}))

    def step(self, names):
        changed = [one for one in self.watched if one in names and self.value(one) != self.sent[one]]
        if not changed:
            return
        patches = {}
        for one in changed:
            patches[canonical(one)] = difference(self.sent[one], self.value(one))
            self.sent[one] = self.value(one)
        self.events.put(("patch", self.tag(), patches | {"_versions": self.seen_versions()}))


def canonical(watch):
    name, _, query = watch.partition("?")
    return name + ("?" + "&".join(sorted(query.split("&"), reverse=True)) if query else "")


def difference(old, new):
    """A patch for lists that grew and objects that changed; else the whole value."""
    if isinstance(old, list) and isinstance(new, list) and new[: len(old)] == old:
        return [{"op": "add", "path": "/-", "value": value} for value in new[len(old):]]
    if isinstance(old, dict) and isinstance(new, dict):
        gone = [{"op": "remove", "path": f"/{key}"} for key in old if key not in new]
        return gone + [{"op": "add", "path": f"/{key}", "value": value} for key, value in new.items() if old.get(key) != value]
    return [{"op": "replace", "path": "", "value": new}]


class SteeredStream:
    """A stream that its client steers: names and tags in, values and patches out."""

    def __init__(self, state, reader, wanted, name):
        self.state = state
        self.reader = reader
        self.name = name
        self.events = queue.Queue()
        self.sent = {}
        self.watched = []
        self.steps = 0
        self.events.put(("stream", None, {"stream": name}))
        self.watch(wanted, is_first=True)

    def value(self, watch):
        return self.state.value(watch, self.reader)

    def tag(self, watch):
        return f"{self.state.life}.{json.dumps(self.value(watch), sort_keys=True)}"

    def tell(self, values, patches=None, reset=()):
        spaces = sorted({one.split("/", 1)[0] for one in self.watched})
        data = dict(values)
        if patches:
            data["_patches"] = patches
        data["_tags"] = {one: self.tag(one) for one in [*values, *(patches or {})]}
        data["_versions"] = {space: f"{self.state.versions.get(space, 0)}.0" for space in spaces}
        if reset:
            data["_reset"] = sorted(reset)
        self.events.put((None, None, data))

    def watch(self, wanted, is_first=False):
        fresh = {one: tag for one, tag in wanted.items() if one not in self.watched}
        self.watched += list(fresh)
        for one in fresh:
            self.sent[one] = self.value(one)
        reset = {one.split("/", 1)[0] for one, tag in fresh.items() if tag and not tag.startswith(f"{self.state.life}.")}
        values = {one: self.sent[one] for one, tag in fresh.items() if tag != self.tag(one)}
        if is_first or values:
            self.tell(values, reset=reset)

    def unwatch(self, names):
        self.watched = [one for one in self.watched if one not in names]

    def step(self, names):
        patches = {}
        for one in self.watched:
            if one in names and self.value(one) != self.sent[one]:
                patches[one] = difference(self.sent[one], self.value(one))
                self.sent[one] = self.value(one)
        # Progress: versions alone, if no watched value has changed.
        self.tell({}, patches)


class RequestHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_state = None

    def log_message(self, *_):
        pass

    def answer(self, status, body, kind="application/json", fields=()):
        content = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        for name, value in fields:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def problem(self, status, fields=()):
        self.answer(status, json.dumps({"type": "/problems/scripted", "status": status, "detail": "scripted"}), "application/problem+json", fields)

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if path == "/client.js":
            return self.answer(200, CLIENT.read_text(), "text/javascript")
        if path == "/v1/live":
            return self.live(urllib.parse.parse_qs(query))
        self.answer(200, BLANK, "text/html")

    def do_POST(self):
        state = self.server_state
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        token = (self.headers["Authorization"] or "").removeprefix("Bearer ")
        if state.tokens and token not in state.tokens:
            return self.problem(401)
        if self.path == "/v1/tickets":
            ticket = f"{TICKET}-{len(state.tickets)}"
            state.tickets[ticket] = (state.tokens or {}).get(token, "")
            state.tickets_pass.wait(PATIENCE_SECONDS)
            return self.answer(201, json.dumps({"ticket": ticket, "expires": "2026-11-22T12:00:30.000000Z"}))
        if self.path == "/v1/live":
            return self.steered(body, (state.tokens or {}).get(token, ""))
        if self.path.startswith("/v1/live/"):
            return self.steer(self.path.split("/")[-1], body)
        _, _, _, space, feature, action = self.path.split("/")
        queued = self.headers["Headwater-Queue"]
        key = self.headers["Idempotency-Key"] or ";".join(queued.split(";")[:2])
        with state.lock:
            state.requests.append((key, self.headers["Authorization"]))
            if state.refusals:
                fields = [("Retry-After", str(state.retry_after))] if state.retry_after else []
                return self.problem(state.refusals.pop(0), fields)
            if (space, key) not in state.keys:
                views = body.get("views", {})
                version = state.set(space, views) if views else state.versions.get(space, 0)
                if action == "skip":
                    version = state.set(space, {}, tell=False)
                if action == "quiet":
                    version = state.set(space, {})
                state.keys[space, key] = {"space": space, "version": version, "changed": list(views)}
            if state.lost_answers:
                state.lost_answers -= 1
                self.close_connection = True
                return self.connection.shutdown(socket.SHUT_RDWR)
            answer = state.keys[space, key]
        state.answers_pass.wait(PATIENCE_SECONDS)
        self.answer(200, json.dumps(answer))

    def steer(self, name, body):
        state = self.server_state
        with state.lock:
            stream = next((one for one in state.streams if getattr(one, "name", None) == name), None)
            if not stream:
                return self.problem(404)
            if body["seq"] == stream.steps + 1:
                stream.steps += 1
                stream.unwatch(body.get("unwatch", []))
                stream.watch(body.get("watch", {}))
            self.answer(200, json.dumps({"watching": len(stream.watched)}))

    def steered(self, body, reader):
        state = self.server_state
        state.streams_pass.wait(PATIENCE_SECONDS)
        with state.lock:
            stream = SteeredStream(state, reader, body.get("watch", {}), f"stream-{len(state.readers)}")
            state.streams.add(stream)
            state.readers.append(reader)
        self.begin_stream()
        self.send(stream)

    def begin_stream(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        self.end_headers()

    def live(self, query):
        state = self.server_state
        [ticket] = query.get("ticket", [None])
        if state.tokens and ticket not in state.tickets:
            return self.problem(401)
        if len(query.get("watch", [])) not in range(1, 101):
            return self.problem(422)
        self.begin_stream()
        reader = state.tickets.get(ticket, "")
        stream = Stream(state, reader, query["watch"], self.headers["Last-Event-ID"] or query.get("lastEventId", [""])[0])
        try:
            with state.lock:
                state.streams.add(stream)
                state.readers.append(reader)
                stream.begin()
        except OSError:
            pass
        self.send(stream)

    def send(self, stream):
        state = self.server_state
        try:
            self.wfile.write(b"retry: 500\n\n")
            while True:
                try:
                    event = stream.events.get(timeout=0.2)
                except queue.Empty:
                    # A write fails once the client has gone.
                    self.wfile.write(b":\n\n")
                    continue
                if event is None:
                    break
                name, identifier, data = event
                lines = [f"event: {name}"] * bool(name) + [f"id: {identifier}"] * bool(identifier) + [f"data: {json.dumps(data)}"]
                self.wfile.write(("\n".join(lines) + "\n\n").encode())
        except OSError:
            pass
        finally:
            with state.lock:
                state.streams.discard(stream)
            self.close_connection = True
