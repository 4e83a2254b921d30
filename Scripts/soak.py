"""The soak of Scripts/soak, with Python's standard library only."""

import collections
import http.client
import http.server
import json
import os
import pathlib
import random
import signal
import statistics
import subprocess
import sys
import threading
import time

PROGRAM, FOLDER, SECONDS, RATE = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
SPACES = [f"soak-{number}" for number in range(8)]
ROWS = 200
LEDGER = {
    "feature": "ledger",
    "home": "space",
    "state": {
        "entries": {"table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {
            "amount": {"type": "integer"}, "due": {"type": "string", "format": "date-time"}},
            "required": ["amount", "due"]}}},
        "added": {"value": {"type": "integer"}, "initial": 0},
        "ticks": {"value": {"type": "integer"}, "initial": 0},
    },
    "actions": {
        "add": {"input": {"type": "object", "properties": {"id": {"type": "string"}, "amount": {"type": "integer"}},
                          "required": ["id", "amount"]},
                "require": [{"that": "!(input.id in state.entries)", "else": {"status": 409, "detail": "there is {input.id}"}}],
                "do": [{"put": "entries", "key": "input.id",
                        "row": "{'amount': input.amount, 'due': string(now + duration('20s'))}"},
                       {"set": "added", "to": "state.added + 1"}]},
        "drop": {"input": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
                 "do": [{"remove": "entries", "key": "input.id"}]},
        "tick": {"do": [{"set": "ticks", "to": "state.ticks + 1"}]},
    },
    "views": {
        "added": {"expression": "state.added"},
        "ticks": {"expression": "state.ticks"},
        "rows": {"from": "entries", "sort": ["key"], "limit": ROWS},
        "sum": {"from": "entries", "sum": "row.amount"},
    },
    "schedules": {"expire": {"for": "entries", "at": "timestamp(row.due)", "act": "drop", "input": "{'id': key}"},
                  "tick": {"every": 60, "act": "tick", "missed": "skip"}},
    "replica": {"entries": {}, "added": {}},
}
STREAM = {"id": "calm", "name": "Calm", "source": {"view": "ledger.added"}, "operators": [{"throttle": {"seconds": 1, "latest": True}}]}


class Broken(Exception):
    """A promise that does not hold."""


class Receiver(http.server.BaseHTTPRequestHandler):
    """Takes the deliveries of hooks. While it is stopped, it refuses."""

    taken = collections.defaultdict(set)
    is_stopped = False

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        if not Receiver.is_stopped:
            space, version = self.headers["ce-id"].split("/")
            Receiver.taken[space].add(int(version))
        self.send_response(503 if Receiver.is_stopped else 204)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Server:
    """The server, which ends and starts while clients ask."""

    def __init__(self, receiver_port):
        self.data = FOLDER / "data"
        self.log = open(FOLDER / "server.log", "ab")
        self.arguments = [
            PROGRAM, "serve", "--port", "0", "--data", str(self.data), "--history", "1000", "--examples", "user,cart",
            "--outgoing-allow", f"127.0.0.1:{receiver_port}"]
        self.starts = 0
        # Ends by SIGTERM that took more than the server's nine seconds, on a machine without time for it.
        self.late_ends = 0
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.arguments, stdout=subprocess.PIPE, stderr=self.log)
        line = self.process.stdout.readline().decode()
        if not line.startswith("headwater listening on "):
            raise Broken("the server does not start", line)
        self.port = int(line.rsplit(":", 1)[1])
        self.arguments[self.arguments.index("--port") + 1] = str(self.port)
        self.starts += 1

    def restart(self, kind):
        self.process.send_signal(kind)
        began = time.monotonic()
        code = self.process.wait(30)
        if kind == signal.SIGTERM and code != 0:
            if code != 1 or time.monotonic() - began < 8:
                raise Broken("the server ended with", code)
            self.late_ends += 1
        self.start()

    def ask(self, method, path, body=None, fields={}, wait=30):
        """Asks until there is an answer of the server, at most a minute."""
        until = time.monotonic() + 60
        while True:
            try:
                client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=wait)
                content = None if body is None else json.dumps(body)
                client.request(method, path, content, {**({"Content-Type": "application/json"} if content else {}), **fields})
                answer = client.getresponse()
                content = answer.read()
                client.close()
                if answer.status == 503 and time.monotonic() < until:
                    time.sleep(0.2)
                    continue
                return answer.status, json.loads(content) if content else None
            except (OSError, http.client.HTTPException):
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)

    def value(self, space, view):
        status, content = self.ask("GET", f"/v1/spaces/{space}/{view}")
        if status != 200:
            raise Broken("a view is not readable", space, view, status, content)
        return content

    def sample(self):
        """Memory in KiB, descriptors, threads, and bytes on the disk."""
        base = pathlib.Path(f"/proc/{self.process.pid}")
        status = dict(line.split(":", 1) for line in (base / "status").read_text().splitlines() if ":" in line)
        disk = {file.name: file.stat().st_size for file in self.data.iterdir() if file.is_file()}
        return {
            "memory": int(status["VmRSS"].split()[0]), "descriptors": len(list((base / "fd").iterdir())),
            "threads": int(status["Threads"]), "disk": sum(disk.values()),
        }


class Soak:
    def __init__(self, server):
        self.server = server
        self.ends = threading.Event()
        self.faults = []
        self.acknowledged = collections.Counter()
        self.versions = collections.defaultdict(set)
        self.events = collections.Counter()
        self.deployments = 0

    def guarded(self, body, *arguments):
        """A thread of the soak. The first fault ends all."""
        def run():
            try:
                body(*arguments)
            except Exception as fault:
                if not self.ends.is_set():
                    self.faults.append(f"{body.__name__}{arguments}: {fault!r}")
                    self.ends.set()
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        return thread

    def act(self, space):
        """Adds entries one by one, each with a key, and repeats an action until it is answered: it must count once."""
        number, generator = 0, random.Random(space)
        while not self.ends.wait(generator.expovariate(RATE / len(SPACES))):
            number += 1
            fields = {"Idempotency-Key": f"{space}-{number}"}
            body = {"id": f"{number:09}", "amount": generator.randrange(100)}
            status, answer = self.server.ask("POST", f"/v1/spaces/{space}/ledger/add", body, fields)
            if status != 200:
                raise Broken("an action is refused", status, answer)
            self.acknowledged[space] += 1
            self.versions[space].add(answer["version"])
            if generator.random() < 0.1:
                again = self.server.ask("POST", f"/v1/spaces/{space}/ledger/add", body, fields)
                if again != (status, answer):
                    raise Broken("a repeat has another answer", again, answer)
            if generator.random() < 0.2:
                added = self.server.value(space, "ledger/added")
                if added < self.acknowledged[space]:
                    raise Broken("a read does not show an answered action", space, added, self.acknowledged[space])

    def follow(self, name, path, look, tags=None):
        """Reads events, connecting again after each end, with the tags of views if there are some. Some readers leave by
        themselves."""
        generator = random.Random(name)
        while not self.ends.is_set():
            client = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=40)
            try:
                accepted = {"Accept": "text/event-stream"}
                if tags is None:
                    client.request("GET", path, headers=accepted)
                else:
                    fields = {**accepted, "Content-Type": "application/json"}
                    client.request("POST", path, json.dumps({"watch": tags}), fields)
                answer = client.getresponse()
                if answer.status == 503:
                    self.ends.wait(0.5)
                    continue
                if answer.status != 200:
                    raise Broken("a stream is refused", path, answer.status, answer.read())
                leaves = time.monotonic() + generator.uniform(20, 120)
                while time.monotonic() < leaves and not self.ends.is_set():
                    line = answer.readline()
                    if not line:
                        break
                    # A stream that can be steered begins with its name.
                    if line.startswith(b"data: ") and not line.startswith(b'data: {"stream":'):
                        look(json.loads(line[6:]))
                        self.events[name] += 1
            except (OSError, http.client.HTTPException):
                self.ends.wait(0.2)
            finally:
                client.close()

    def mirror(self, space):
        """Holds a replica, which goes on from its tags after each end, beside a sum of the same events."""
        held, total = f"{space}/ledger!replica", f"{space}/ledger.sum"
        copy, tags, shown = {}, {held: None, total: None}, {}

        def take(value):
            if "_gone" in value:
                raise Broken("a replica is gone", space, value["_gone"])
            if held in value:
                copy.clear()
                copy.update(value[held])
            for name, change in value.get("_rows", {}).get(held, {}).items():
                if isinstance(change, dict) and isinstance(copy.get(name), dict):
                    copy[name].update(change)
                    copy[name] = {key: row for key, row in copy[name].items() if row is not None}
                else:
                    copy[name] = change
            shown.update({total: value[total]} if total in value else {})
            tags.update(value.get("_tags", {}))
            rows = sum(row["amount"] for row in copy["entries"].values())
            if "_more" not in value and rows != shown[total]:
                raise Broken("a replica differs from a view of its moment", space, rows, shown[total])
            if copy["added"] < shown.get("added", 0):
                raise Broken("a replica goes back", space, copy["added"], shown["added"])
            shown["added"] = copy["added"]

        self.follow(f"mirror {space}", "/v1/live", take, tags)

    def deploy(self):
        """Puts the document again, each time with another view."""
        while not self.ends.wait(60):
            self.deployments += 1
            document = json.loads(json.dumps(LEDGER))
            document["views"]["extra"] = {"expression": f"state.added + {self.deployments}"}
            status, answer = self.server.ask("PUT", "/v1/features/ledger", document)
            if status not in (200, 201):
                raise Broken("a document is refused", status, answer)

    def fail(self):
        """Restarts the server in turn by SIGTERM and SIGKILL, and stops the receiver of hooks."""
        count = 0
        while not self.ends.wait(150):
            count += 1
            if count % 3 == 0:
                Receiver.is_stopped = True
                self.ends.wait(10)
                Receiver.is_stopped = False
            else:
                self.server.restart(signal.SIGTERM if count % 3 == 1 else signal.SIGKILL)

    def rising(self, space):
        last = [0]

        def look(value):
            if value < last[0]:
                raise Broken("a reader sees an older value", space, value, last[0])
            last[0] = value
        return look

    def run(self):
        server = self.server
        status, answer = server.ask("PUT", "/v1/features/ledger", LEDGER)
        if status not in (200, 201):
            raise Broken("the document is refused", status, answer)
        for space in SPACES:
            status, answer = server.ask("PUT", f"/v1/spaces/{space}/streams/calm", STREAM)
            if status not in (200, 201):
                raise Broken("the stream is refused", status, answer)
        hook = {"source": {"changes": ["ledger/add"]}, "url": f"http://127.0.0.1:{receiver.server_address[1]}/hooks", "secret": "s" * 32}
        hooked = SPACES[:2]
        for space in hooked:
            status, answer = server.ask("PUT", f"/v1/spaces/{space}/hooks/soak", hook)
            if status not in (200, 201):
                raise Broken("the hook is refused", status, answer)
        for space in SPACES:
            self.guarded(self.act, space)
            path = f"/v1/spaces/{space}/"
            self.guarded(self.follow, f"added {space}", path + "ledger/added", self.rising(space))
            self.guarded(self.follow, f"rows {space}", path + "views?view=ledger.rows&view=ledger.sum&delta=json-patch", lambda _: None)
            self.guarded(self.mirror, space)
            self.guarded(self.follow, f"stream {space}", path + "streams/calm/value", self.rising(space))
        watched = "&".join(f"watch={space}/ledger.sum" for space in SPACES)
        self.guarded(self.follow, "live", f"/v1/live?{watched}", lambda _: None)
        self.guarded(self.follow, "changes", "/v1/changes", lambda _: None)
        self.guarded(self.deploy)
        self.guarded(self.fail)
        self.watch()
        self.finish(hooked)

    def watch(self):
        """Samples until the time is over or something breaks."""
        until, began = time.monotonic() + SECONDS, time.monotonic()
        period = max(5, min(60, SECONDS / 200))
        self.samples = []
        with open(FOLDER / "samples.csv", "w") as file:
            while not self.ends.wait(period) and time.monotonic() < until:
                try:
                    sample = self.server.sample()
                except (OSError, KeyError):
                    continue
                sample = {"second": int(time.monotonic() - began), **sample, "actions": sum(self.acknowledged.values()),
                          "events": sum(self.events.values()), "delivered": sum(map(len, Receiver.taken.values())),
                          "starts": self.server.starts, "documents": self.deployments}
                if not self.samples:
                    print(",".join(sample), file=file)
                self.samples.append(sample)
                print(",".join(map(str, sample.values())), file=file, flush=True)

    def finish(self, hooked):
        """Lets all arrive, and compares."""
        self.ends.set()
        if self.faults:
            raise Broken(*self.faults)
        time.sleep(3)
        for space in SPACES:
            added = self.server.value(space, "ledger/added")
            # One action for each space may have been under way.
            if not self.acknowledged[space] <= added <= self.acknowledged[space] + 1:
                raise Broken("actions are lost, or performed twice", space, added, self.acknowledged[space])
            shown = self.server.value(space, "views?view=ledger.rows&view=ledger.sum")
            rows, total = shown["ledger.rows"], shown["ledger.sum"]
            if len(rows) < ROWS and sum(row["row"]["amount"] for row in rows) != total:
                raise Broken("a sum differs from its rows", space, total, rows)
        until = time.monotonic() + 120
        while time.monotonic() < until:
            missing = {space: len(self.versions[space] - Receiver.taken[space]) for space in hooked}
            if not any(missing.values()):
                break
            time.sleep(1)
        else:
            raise Broken("hooks have not delivered", missing)
        self.server.process.send_signal(signal.SIGTERM)
        if code := self.server.process.wait(30):
            raise Broken("the server ended with", code)
        check = subprocess.run([PROGRAM, "check", str(self.server.data)], capture_output=True, text=True)
        if check.returncode:
            raise Broken("the data directory is damaged", check.stdout, check.stderr)
        self.compare()

    def compare(self):
        """The last quarter of the samples beside the second: what grows is a fault."""
        quarter = len(self.samples) // 4
        grown = []
        # Memory and disk may move by a tenth and some MiB; descriptors by a few connections.
        for name, slack in [("memory", 16 << 10), ("descriptors", 16), ("threads", 2), ("disk", 24 << 20)]:
            early = statistics.median(sample[name] for sample in self.samples[quarter : 2 * quarter] or self.samples)
            late = statistics.median(sample[name] for sample in self.samples[3 * quarter :])
            print(f"{name}: {early:.0f} in the second quarter, {late:.0f} in the last")
            if late > early * 1.1 + slack:
                grown.append(name)
        last = self.samples[-1]
        print(f"{last['actions']} actions, {last['events']} events, {last['delivered']} deliveries, {last['starts']} starts, "
              f"{last['documents']} documents, {self.server.late_ends} late ends in {last['second']} s")
        if grown:
            raise Broken("these grow", *grown)


receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=receiver.serve_forever, daemon=True).start()
FOLDER.mkdir(parents=True, exist_ok=True)
server = Server(receiver.server_address[1])
try:
    Soak(server).run()
except Broken as broken:
    sys.exit(f"soak: {' '.join(map(str, broken.args))}")
finally:
    server.process.kill()
    server.process.wait()
