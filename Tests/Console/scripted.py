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
        _, _, _, space, feature, action = self.path.split("/")
        key = self.headers["Idempotency-Key"]
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
                state.keys[space, key] = {"space": space, "version": version, "changed": list(views)}
            if state.lost_answers:
                state.lost_answers -= 1
                self.close_connection = True
                return self.connection.shutdown(socket.SHUT_RDWR)
            answer = state.keys[space, key]
        state.answers_pass.wait(PATIENCE_SECONDS)
        self.answer(200, json.dumps(answer))

    def live(self, query):
        state = self.server_state
        [ticket] = query.get("ticket", [None])
        if state.tokens and ticket not in state.tickets:
            return self.problem(401)
        if len(query.get("watch", [])) not in range(1, 101):
            return self.problem(422)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        self.end_headers()
        reader = state.tickets.get(ticket, "")
        stream = Stream(state, reader, query["watch"], self.headers["Last-Event-ID"] or query.get("lastEventId", [""])[0])
        try:
            with state.lock:
                state.streams.add(stream)
                state.readers.append(reader)
                stream.begin()
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
