"""The attacks of Scripts/calm, with Python's standard library only."""

import http.client
import json
import multiprocessing
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

PROGRAM = sys.argv[1]
ROWS = 200_000
# The program of the log's server; None for a server without a cluster.
LOG = None
DOCUMENT = {
    "feature": "big", "home": "space",
    "state": {
        "rows": {"table": {
            "key": {"type": "string"},
            "row": {"type": "object", "properties": {"n": {"type": "integer"}, "name": {"type": "string"},
                                                    "of": {"type": "string"}}}}},
        "count": {"value": {"type": "integer"}, "initial": 0}},
    "actions": {
        "fill": {
            "input": {"type": "object", "properties": {"from": {"type": "integer"}, "to": {"type": "integer"}}},
            "do": [{"each": "lists.range(input.to - input.from)", "as": "i", "do": [
                {"put": "rows", "key": "string(input.from + i)",
                 "row": "{'n': (input.from + i) * 7919 % 100003, 'name': 'row', 'of': string(i % 100)}"}]}]},
        "add": {"do": [{"set": "count", "to": "state.count + 1"}]},
        "work": {"do": [{"each": "lists.range(9999)", "as": "i", "do": [
            {"remove": "rows", "key": f"'{place}'"} for place in range(10)]}, {"set": "count", "to": "state.count + 1"}]}},
    "views": {
        "count": {"expression": "state.count"},
        "sorted": {"from": "rows", "sort": ["-row.n"], "limit": 10, "select": "row.n"},
        "all": {"from": "rows", "select": "row.n"},
        "filtered": {"from": "rows", "where": "row.name.matches('r.w') && row.n % 3 == 0", "select": "row.n"},
        "counted": {"from": "rows", "where": "row.n > 7", "count": True},
        "of": {"parameters": {"name": {"type": "string"}},
               "from": "rows", "where": "row.of == input.name", "count": True}},
}
LOOPING = {
    "feature": "loop", "home": "space",
    "state": {"jobs": {"table": {"key": {"type": "string"},
                                 "row": {"type": "object", "properties": {"at": {"type": "string"}}}}},
              "count": {"value": {"type": "integer"}, "initial": 0}},
    "actions": {"begin": {"do": [{"put": "jobs", "key": "'one'", "row": "{'at': string(now)}"}]},
                "again": {"do": [{"set": "count", "to": "state.count + 1"},
                                 {"put": "jobs", "key": "'one'", "row": "{'at': string(now)}"}]}},
    "schedules": {"tick": {"for": "jobs", "at": "row.at", "act": "again"}},
    "views": {"count": {"expression": "state.count"}},
}


class Server:
    """A running server on a directory of its own, or the only node of a cluster with the only server of its log."""

    def __init__(self, *options, errors=subprocess.DEVNULL):
        self.directory = tempfile.mkdtemp(prefix="calm-")
        self.log = None
        place = ["--durability", "none"]
        if LOG:
            place = ["--journal", self.begin_log(), "--cluster", "calm", "--node", "one"]
        self.process = subprocess.Popen(
            [PROGRAM, "--port", "0", "--data", f"{self.directory}/data", *place, "--threads", "2", "--examples", "none",
             *options], stdout=subprocess.PIPE, stderr=errors)
        self.port = int(self.process.stdout.readline().decode().rsplit(":", 1)[1])
        self.until(lambda: self.ask("GET", "/readyz")[0] == 200, "the server is not ready")

    def begin_log(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        with open(f"{self.directory}/log.conf", "w") as configuration:
            configuration.write(
                f'listen: "127.0.0.1:{port}"\nmax_payload: 8MB\n'
                f'jetstream {{ store_dir: "{self.directory}/log", max_mem: 64MB, max_file: 8GB }}\n')
        self.log = subprocess.Popen([LOG, "-c", f"{self.directory}/log.conf"], stderr=subprocess.DEVNULL)
        address = f"nats://127.0.0.1:{port}"
        words = [PROGRAM, "cluster", "init", "--lanes", "4", "--replicas", "1", "--journal", address, "--cluster", "calm"]
        self.until(lambda: subprocess.run(words, capture_output=True).returncode == 0, "there is no cluster")
        return address

    @staticmethod
    def until(condition, words):
        end = time.monotonic() + 60
        while not condition():
            if time.monotonic() > end:
                sys.exit(words)
            time.sleep(0.1)

    def ask(self, method, path, body=None, timeout=120):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            content = None if body is None else json.dumps(body)
            connection.request(method, path, content, {"Content-Type": "application/json"} if content else {})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def must(self, method, path, body=None):
        status, content = self.ask(method, path, body)
        if status >= 300:
            sys.exit(f"{method} {path}: {status} {content[:500]!r}")
        return content

    def deploy(self, document):
        self.must("PUT", f"/v1/features/{document['feature']}", document)

    def fill(self, space, rows, first=0, feature="big"):
        step = 2_000
        for start in range(first, rows, step):
            body = {"from": start, "to": min(rows, start + step)}
            for _ in range(100):
                status, content = self.ask("POST", f"/v1/spaces/{space}/{feature}/fill", body)
                if status < 300:
                    break
                if status != 503:
                    sys.exit(f"fill: {status} {content[:500]!r}")
                time.sleep(0.1)

    def memory(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) // 1024

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if self.log:
            self.log.kill()
            self.log.wait()
        shutil.rmtree(self.directory, ignore_errors=True)


def probe(port, same, ends, results):
    """Asks /healthz and a small space in turn until the end, or the space `same`, and returns the times in milliseconds."""
    os.nice(-5) if os.geteuid() == 0 else None
    waits = {"healthz": [], "others": [], "same": []}
    connections = {}

    def ask(kind, method, path):
        began = time.monotonic()
        for attempt in range(2):
            connection = connections.get(kind)
            if connection is None:
                connection = connections[kind] = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            try:
                connection.request(method, path)
                connection.getresponse().read()
                break
            except (OSError, http.client.HTTPException):
                connection.close()
                connections[kind] = None
        waits[kind if kind in waits else "others"].append((time.monotonic() - began) * 1e3)

    place = 0
    while not ends.is_set():
        place += 1
        if same:
            ask("same", "GET", f"/v1/spaces/{same}/big/count")
            time.sleep(0.002)
            continue
        ask("healthz", "GET", "/healthz")
        ask(f"space {place % 4}", "POST", f"/v1/spaces/probe{place % 4}/big/add")
        ask(f"space {place % 4}", "GET", f"/v1/spaces/probe{place % 4}/big/count")
        time.sleep(0.002)
    results.put(waits)


def figures(times):
    times = sorted(times)
    if not times:
        return "–"
    return f"{times[len(times) // 2]:.1f} / {times[min(len(times) - 1, len(times) * 99 // 100)]:.1f} / {times[-1]:.0f}"


def measure(name, server, attack, same=None):
    ends, results = multiprocessing.Event(), multiprocessing.Queue()
    for place in range(4):
        server.must("POST", f"/v1/spaces/probe{place}/big/add")
    processes = [multiprocessing.Process(target=probe, args=(server.port, space, ends, results))
                 for space in ([None, same] if same else [None])]
    [process.start() for process in processes]
    time.sleep(0.3)
    before, began = server.memory(), time.monotonic()
    outcome = attack()
    seconds = time.monotonic() - began
    time.sleep(0.3)
    ends.set()
    waits = {"healthz": [], "others": [], "same": []}
    for _ in processes:
        for kind, times in results.get(timeout=90).items():
            waits[kind] += times
    [process.join() for process in processes]
    after = server.memory() if server.process.poll() is None else 0
    print(f"| {name} | {figures(waits['others'])} | {figures(waits['healthz'])} | {figures(waits['same'])} | {before} → {after} | "
          f"{seconds:.1f} s: {outcome} |", flush=True)


def timed(server, method, path, body=None):
    began = time.monotonic()
    status, content = server.ask(method, path, body)
    return f"{status} in {(time.monotonic() - began) * 1e3:.0f} ms"


def streams(server):
    """12 stream definitions of 64 costly maps, read with one `views`."""
    cost = "lists.range(300).map(x, lists.range(100).map(y, x * y).size()).size() + value"
    for place in range(12):
        definition = {"id": f"s{place}", "source": {"view": "big.count"},
                      "operators": [{"map": {"expression": cost}} for _ in range(64)]}
        status, content = server.ask("PUT", f"/v1/spaces/victim/streams/s{place}", definition)
        if status >= 300:
            return f"refused: {status} {content[:200]!r}"
    server.must("POST", "/v1/spaces/victim/big/add")
    views = "&".join(f"view=streams.s{place}" for place in range(12))
    return lambda: timed(server, "GET", f"/v1/spaces/victim/views?{views}")


def large(server):
    """One view over many rows, sorted, limit 10, and again."""
    server.fill("large", ROWS)
    return lambda: ", ".join(timed(server, "GET", "/v1/spaces/large/big/sorted") for _ in range(3))


def whole(server):
    """The whole list of many rows, twice."""
    return lambda: ", ".join(timed(server, "GET", "/v1/spaces/large/big/all") for _ in range(2))


def beside(server):
    """Views over many rows, while others read and act in the same space and in a second large one."""
    server.fill("beside", ROWS)
    server.fill("second", ROWS // 4)
    server.must("GET", "/v1/spaces/second/big/count")

    def attack():
        ends = threading.Event()
        waits = {"beside": [], "second": []}

        def reader(space):
            while not ends.is_set():
                for method, path in (("GET", "count"), ("POST", "add")):
                    began = time.monotonic()
                    server.ask(method, f"/v1/spaces/{space}/big/{path}")
                    waits[space].append((time.monotonic() - began) * 1e3)
        readers = [threading.Thread(target=reader, args=(space,)) for space in waits]
        [one.start() for one in readers]
        times = ", ".join(timed(server, "GET", f"/v1/spaces/beside/big/{view}") for view in ("sorted", "counted", "all"))
        ends.set()
        [one.join() for one in readers]
        return f"{times}; same space {figures(waits['beside'])}, second {figures(waits['second'])}"
    return attack


def filtered(server):
    """A filter with a regular expression; all views; the graph."""
    return lambda: ", ".join(
        timed(server, "GET", f"/v1/spaces/large/{path}") for path in ("big/filtered", "views", "graph"))


def parameters(server):
    """One stream on 20 parameterised views over many rows, and a commit."""
    def attack():
        views = "&".join(f"view=big.of%3Fname%3D{place}" for place in range(20))
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        began = time.monotonic()
        connection.request("GET", f"/v1/spaces/large/views?{views}", headers={"Accept": "text/event-stream"})
        answer = connection.getresponse()
        answer.read(100)
        opened = time.monotonic() - began
        outcome = timed(server, "POST", "/v1/spaces/large/big/fill", {"from": 0, "to": 10})
        connection.close()
        return f"open {answer.status} in {opened:.1f} s, commit {outcome}"
    return attack


def rounds(server):
    """One permitted action of 9,999 rounds with 10 rows each, by four clients."""
    def attack():
        outcomes = []
        def client():
            for _ in range(5):
                outcomes.append(timed(server, "POST", "/v1/spaces/victim/big/work"))
        clients = [threading.Thread(target=client) for _ in range(4)]
        [one.start() for one in clients]
        [one.join() for one in clients]
        return f"{outcomes[0]}, {outcomes[-1]}"
    return attack


def schedule(server):
    """A schedule that sets its own `at` to now, in four spaces."""
    server.deploy(LOOPING)
    def attack():
        for place in range(4):
            server.must("POST", f"/v1/spaces/loop{place}/loop/begin")
        time.sleep(4)
        counts = [int(server.must("GET", f"/v1/spaces/loop{place}/loop/count")) for place in range(4)]
        return f"{counts} firings"
    return attack


def past(server):
    """300 reads of the past by one reader."""
    for _ in range(50):
        server.must("POST", "/v1/spaces/victim/big/add")
    def attack():
        statuses = {}
        def reader(place):
            for step in range(30):
                status, _ = server.ask("GET", f"/v1/spaces/victim/big/count?at={1 + (place * 30 + step) % 40}")
                statuses[status] = statuses.get(status, 0) + 1
        readers = [threading.Thread(target=reader, args=(place,)) for place in range(10)]
        [one.start() for one in readers]
        [one.join() for one in readers]
        return str(statuses)
    return attack


def abandoned(server):
    """60 views over many rows whose callers leave at once, and another reader of the space."""
    def attack():
        for place in range(60):
            with socket.create_connection(("127.0.0.1", server.port)) as client:
                path = f"/v1/spaces/large/big/of?name={1_000 + place}"
                client.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                time.sleep(0.01)
        return "then " + timed(server, "GET", "/v1/spaces/large/big/of?name=7")
    return attack


def restore(server):
    """A restore of 9,000 rows in the large table."""
    version = json.loads(server.must("GET", "/v1/spaces/large"))["version"]
    server.fill("large", ROWS + 9_000, first=ROWS)
    return lambda: timed(server, "POST", "/v1/spaces/large/restore", {"version": version})


def undo(server):
    """An administrator undoes a commit of 2,000 rows."""
    server.fill("large", 2_000)
    version = json.loads(server.must("GET", "/v1/spaces/large"))["version"]
    server.must("POST", "/v1/spaces/large/big/fill", {"from": 3_000_000, "to": 3_002_000})
    return lambda: timed(server, "POST", "/v1/spaces/large/administration/edit",
                         {"reason": "a mistake", "undo": version + 1})


def migration(server):
    """A document whose rows have another form: each row of the large table migrates."""
    changed = json.loads(json.dumps(DOCUMENT))
    rows = changed["state"]["rows"]
    rows["table"]["row"]["properties"]["name"]["maxLength"] = 2
    rows["migrate"] = "{'n': old.n, 'name': 'r', 'of': old.of}"

    def attack():
        put = timed(server, "PUT", "/v1/features/big", changed)
        read = timed(server, "GET", "/v1/spaces/large/big/count")
        while json.loads(server.must("GET", "/v1/features/big/migration"))["left"]:
            time.sleep(0.1)
        # The rows of the commit are written to the snapshot after it.
        time.sleep(2)
        return f"{put}, then read {read}"
    return attack


def common(server):
    """All views of a table of `common` with a quarter of the rows, and a document that migrates it."""
    document = json.loads(json.dumps(DOCUMENT))
    document |= {"feature": "shop", "home": "common"}
    server.deploy(document)
    server.fill("common", ROWS // 4, feature="shop")
    rows = document["state"]["rows"]
    rows["table"]["row"]["properties"]["name"]["maxLength"] = 2
    rows["migrate"] = "{'n': old.n, 'name': 'r', 'of': old.of}"

    def attack():
        paths = ["shop/sorted", "shop/all", "shop/filtered", "shop/of?name=7", "views", "graph"]
        outcomes = [timed(server, "GET", f"/v1/spaces/common/{path}") for path in paths]
        put = timed(server, "PUT", "/v1/features/shop", document)
        # The rows of the commit are written to the snapshot after the answer.
        time.sleep(2)
        return f"{', '.join(outcomes)}, then put {put}"
    return attack


def tests(server):
    """Four `features:test` at once, whose callers give up."""
    document = json.loads(json.dumps(DOCUMENT))
    document["tests"] = [{"name": f"t{place}", "steps": [
        {"act": "fill", "input": {"from": 0, "to": 2000}}] * 5} for place in range(20)]
    def attack():
        outcomes = []
        def client():
            try:
                status, _ = server.ask("POST", "/v1/features:test", document, timeout=1)
                outcomes.append(status)
            except OSError:
                outcomes.append("gave up")
        for _ in range(2):
            clients = [threading.Thread(target=client) for _ in range(4)]
            [one.start() for one in clients]
            [one.join() for one in clients]
        return str(outcomes)
    return attack


def deploying(server):
    """`PUT` of a feature with 20,000 loaded spaces, and the first `GET` of the contract after it."""
    for place in range(20_000):
        if place % 500 == 0:
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        connection.request("POST", f"/v1/spaces/many{place}/big/add")
        connection.getresponse().read()
    changed = json.loads(json.dumps(DOCUMENT))
    changed["views"]["more"] = {"expression": "state.count + 1"}
    return lambda: ", ".join([timed(server, "PUT", "/v1/features/big", changed), timed(server, "GET", "/openapi.yaml")])


def deploying_many():
    """`PUT` of a feature beside 2,000 others."""
    server = Server()
    try:
        def named(place, count=0):
            document = json.loads(json.dumps(DOCUMENT))
            document["feature"] = f"big{place}"
            document["views"]["more"] = {"expression": f"state.count + {count}"}
            return document
        for first in range(0, 2_000, 100):
            server.must("PUT", "/v1/features", {f"big{place}": named(place) for place in range(first, first + 100)})
        server.deploy(DOCUMENT)
        measure(
            deploying_many.__doc__, server,
            lambda: ", ".join(timed(server, "PUT", "/v1/features/big7", named(7, count)) for count in range(1, 9)))
    finally:
        server.end()


def watched(server):
    """A space that is watched while it grows to many rows, and read in all ways."""
    server.must("POST", "/v1/spaces/watched/big/add")
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
    views = "&".join(f"view=big.{view}" for view in ("count", "sorted", "counted"))
    connection.request("GET", f"/v1/spaces/watched/views?{views}", headers={"Accept": "text/event-stream"})
    answer = connection.getresponse()
    reader = threading.Thread(target=lambda: quietly(lambda: [None for _ in iter(lambda: answer.read1(65_536), b"")]))
    reader.start()

    def attack():
        began = time.monotonic()
        server.fill("watched", ROWS)
        filled = time.monotonic() - began
        times = ", ".join(
            timed(server, "GET", f"/v1/spaces/watched/{path}") for path in ("big/all", "big/filtered", "views"))
        connection.sock.shutdown(socket.SHUT_RDWR)
        return f"{ROWS} rows in {filled:.1f} s, {times}"
    return attack


def ending():
    """SIGTERM while a client has the large view computed."""
    server = Server("--drain", "1")
    try:
        server.deploy(DOCUMENT)
        server.fill("large", ROWS)
        client = threading.Thread(target=lambda: quietly(lambda: server.ask("GET", "/v1/spaces/large/big/sorted")))
        client.start()
        began = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        code = server.process.wait(30)
        print(f"| SIGTERM beside a large view | | | | | exit {code} after {time.monotonic() - began:.1f} s |", flush=True)
    finally:
        server.end()


def deaf():
    """A reader of standard error that has stopped, log level debug."""
    reading, writing = os.pipe()
    server = Server("--log-level", "debug", errors=writing)
    os.close(writing)
    try:
        server.deploy(DOCUMENT)
        def attack():
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
            for _ in range(20_000):
                connection.request("GET", "/healthz")
                connection.getresponse().read()
            metrics = server.must("GET", "/metrics").decode()
            return next((line for line in metrics.splitlines() if line.startswith("headwater_log_dropped")), "–")
        measure("a reader of standard error that has stopped", server, attack)
    finally:
        server.end()
        os.close(reading)


def quietly(body):
    try:
        body()
    except (OSError, http.client.HTTPException):
        pass


SHARED = [streams, rounds, schedule, past, tests, watched, large, beside, whole, filtered, parameters, abandoned, restore,
          undo, migration, common, deploying]
# The space that an attack makes large work in.
SAME = dict.fromkeys([large, whole, filtered, parameters, abandoned, restore, undo, migration], "large")
SAME[watched], SAME[beside] = "watched", "beside"
ALONE = [deploying_many, ending, deaf]


def main():
    global LOG, ROWS
    arguments = sys.argv[2:]
    if "--rows" in arguments:
        place = arguments.index("--rows")
        ROWS = int(arguments[place + 1])
        del arguments[place:place + 2]
    if "--cluster" in arguments:
        arguments.remove("--cluster")
        LOG = subprocess.run(["Scripts/nats", "--pypi"], stdout=subprocess.PIPE, check=True, text=True).stdout.strip()
    print("| attack | others: p50 / p99 / max ms | healthz: p50 / p99 / max ms | the same space | memory MB | attacker |")
    print("|---|---|---|---|---|---|")
    needs_large = {whole, filtered, parameters, abandoned, restore, undo, migration}
    server = Server()
    try:
        server.deploy(DOCUMENT)
        for attack in SHARED:
            if arguments and attack.__name__ not in arguments:
                continue
            if attack in needs_large and arguments and "large" not in arguments:
                server.fill("large", ROWS)
            prepared = attack(server)
            if isinstance(prepared, str):
                print(f"| {attack.__doc__} | | | | | {prepared} |", flush=True)
                continue
            try:
                measure(attack.__doc__, server, prepared, SAME.get(attack))
            except (OSError, http.client.HTTPException) as error:
                print(f"| {attack.__doc__} | | | | | {error!r} |", flush=True)
    finally:
        server.end()
    for attack in ALONE:
        if not arguments or attack.__name__ in arguments:
            attack()


main()
