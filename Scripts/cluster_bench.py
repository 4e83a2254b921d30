"""The figures of a cluster on one machine, each as a ratio to what its servers or one node do in the same run."""

import argparse
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from bare_nats import BareClient, echo

TICK = os.sysconf("SC_CLK_TCK")
LANES = 24
# The connections of a load. Each has one request under way, as a client has.
CONNECTIONS = 400
NODES = ["A", "B", "C"]


def seconds_of(process):
    """The processor seconds of a process."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def share_of(processes, seconds):
    """The share of a core that processes use."""
    used = sum(seconds_of(process) for process in processes)
    time.sleep(seconds)
    return (sum(seconds_of(process) for process in processes) - used) / seconds


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


class Machine:
    """Three servers, three nodes, and a node of its own without a cluster."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.base = options.port
        self.journal = ",".join(f"nats://127.0.0.1:{self.base + index}" for index in range(3))
        self.servers, self.nodes, self.single = [None] * 3, [None] * 3, None
        self.idle_servers = 0.0

    def popen(self, name, *words):
        with open(f"{self.folder}/{name}.log", "a") as log:
            environment = {**os.environ, "HEADWATER_JOURNAL": self.journal, "HEADWATER_CLUSTER": "bench"}
            return subprocess.Popen(words, stdout=log, stderr=log, env=environment)

    def start_server(self, index):
        routes = ", ".join(f'"nats://127.0.0.1:{self.base + 100 + other}"' for other in range(3))
        configuration = f"{self.folder}/server-{index}.conf"
        sync = f", sync_interval: {self.options.sync}" if self.options.sync else ""
        pathlib.Path(configuration).write_text(f"""server_name: server-{index}
listen: "127.0.0.1:{self.base + index}"
max_payload: 8MB
jetstream {{ store_dir: "{self.folder}/server-{index}", max_mem: 256MB, max_file: 8GB{sync} }}
cluster {{ name: bench, listen: "127.0.0.1:{self.base + 100 + index}", routes: [{routes}] }}
""")
        self.servers[index] = self.popen(f"server-{index}", self.options.server, "-c", configuration)

    def start_node(self, index):
        self.nodes[index] = self.popen(
            f"node-{NODES[index]}", self.options.program, "serve", "--port", str(self.base + 200 + index), "--node",
            NODES[index], "--data", f"{self.folder}/node-{NODES[index]}", "--threads", "1")

    def start(self):
        for index in range(3):
            self.start_server(index)
        words = [self.options.program, "cluster", "init", "--lanes", str(LANES), "--journal", self.journal,
                 "--cluster", "bench"]
        self.until(lambda: subprocess.run(words, capture_output=True).returncode == 0, "no cluster")
        # The lanes exist, and nobody uses them.
        if "latency" in self.options.stages:
            self.idle_servers = share_of(self.servers, 10)
        for index in range(3):
            self.start_node(index)
        self.single = subprocess.Popen(
            [self.options.program, "serve", "--port", str(self.base + 210), "--data", f"{self.folder}/single",
             "--threads", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.until(lambda: all(self.is_ready(index) for index in [0, 1, 2, 10]), "the nodes are not ready")

    def is_ready(self, index):
        try:
            return ask(self.base + 200 + index, "GET", "/readyz")[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    @staticmethod
    def until(condition, words, seconds=120):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise SystemExit(f"bench: {words}")
            time.sleep(0.1)

    def port(self, index):
        return self.base + 200 + index

    def metric(self, index, pattern):
        text = ask(self.port(index), "GET", "/metrics")[1]
        return sum(float(value) for value in re.findall(rf"^{pattern} (\S+)$", text, re.MULTILINE))

    def owner(self, space):
        """The node that performs the actions of a space: the others forward them."""
        for index in range(3):
            if self.nodes[index].poll() is not None:
                continue
            before = self.metric(index, r'headwater_forwards_total\{outcome="answered"\}')
            # A refusal of the owner counts too.
            if ask(self.port(index), "POST", f"/v1/spaces/{space}/cart/clear", {})[0] == 503:
                continue
            if self.metric(index, r'headwater_forwards_total\{outcome="answered"\}') == before:
                return index
        return None

    def settle(self):
        """Waits until no node has handed over a lane for longer than a node waits with that."""
        owned, since = None, time.monotonic()
        while time.monotonic() < since + 40:
            now = [self.metric(index, "headwater_lanes_owned") for index in range(3)]
            if now != owned:
                owned, since = now, time.monotonic()
            time.sleep(1)

    def end(self):
        for process in [*self.nodes, self.single, *self.servers]:
            if process and process.poll() is None:
                process.kill()
                process.wait()


def ask(port, method, path, body=None, fields=None, timeout=15):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request(method, path, None if body is None else json.dumps(body),
                           {"Content-Type": "application/json", **(fields or {})})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def text_of(method, path, body="", fields=""):
    return (f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n{fields}"
            f"Content-Length: {len(body)}\r\n\r\n{body}").encode()


def saturate(machine, port, cycles, seconds):
    """Keeps a request under way on each connection. Returns the number of answers, and the seconds."""
    words = [machine.options.benchmarks, "load", str(port), str(CONNECTIONS), str(seconds)]
    texts = [[request.decode() for request in cycle] for cycle in cycles]
    load = subprocess.run(words, input=json.dumps(texts), capture_output=True, text=True)
    if load.returncode != 0:
        raise SystemExit(f"bench: the load ended: {load.stderr[-400:]}")
    count, elapsed = load.stdout.split()
    return int(count), float(elapsed)


def latencies(port, cycle, count):
    made, times = socket.create_connection(("127.0.0.1", port)), []
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for number in range(count):
        begin = time.perf_counter()
        made.sendall(cycle[number % len(cycle)])
        answer = made.recv(1 << 16)
        times.append(time.perf_counter() - begin)
        if not answer.startswith(b"HTTP/1.1 200"):
            raise SystemExit(f"bench: an answer is {answer[:200]}")
    made.close()
    return times


def changes(space):
    """Two actions that undo each other, so that they can be repeated without end."""
    return [text_of("POST", f"/v1/spaces/{space}/cart/{name}", '{"productId": 1}') for name in ["increment", "decrement"]]


def fill(machine, index, space):
    """Makes room for the actions of `changes` in both directions."""
    body = {"productId": 1, "quantity": 500}
    machine.until(lambda: ask(machine.port(index), "POST", f"/v1/spaces/{space}/cart/clear", {})[0] < 500
                  and ask(machine.port(index), "POST", f"/v1/spaces/{space}/cart/add", body)[0] == 200, f"{space} is not filled")


class Report:
    def __init__(self):
        self.rows = []

    def line(self, what, value, unit, target, detail=""):
        """Prints a figure; `target` is the greatest good value, or the least one if negative."""
        verdict = ""
        if target is not None:
            verdict = "met" if (value <= target if target > 0 else value >= -target) else "MISSED"
            target = f"{'≤' if target > 0 else '≥'} {abs(target):g}"
        self.rows.append({"what": what, "value": value, "unit": unit, "target": target, "verdict": verdict})
        print(f"{what:<46} {value:>10.3f} {unit:<9} {target or '':<8} {verdict:<7} {detail}", flush=True)


def bare(machine, report):
    """The servers without Headwater."""
    client = BareClient(machine.base)
    client.make_stream("bare-latency", "bare.latency")
    times = client.latencies("bare.latency", 1_024, 300)
    threading.Thread(target=echo, args=(machine.base + 1, "bare.echo"), daemon=True).start()
    time.sleep(0.5)
    trips = []
    for _ in range(300):
        begin = time.perf_counter()
        client.ask("bare.echo", b"x" * 200)
        trips.append(time.perf_counter() - begin)
    figures = {"p50": statistics.median(times), "p99": quantile(times, 0.99), "trip": statistics.median(trips)}
    report.line("bare append p50", figures["p50"] * 1e3, "ms", None, f"p99 {figures['p99'] * 1e3:.2f} ms")
    report.line("bare request and reply p50", figures["trip"] * 1e3, "ms", None)
    client.close()
    return figures


def size_of_entries(machine, before=None):
    """The messages and the bytes of all lanes."""
    client = BareClient(machine.base)
    names = [f"hw-bench-{lane}" for lane in range(LANES)]
    states = [client.api(f"STREAM.INFO.{name}")["state"] for name in names]
    client.close()
    found = [sum(state[key] for state in states) for key in ["messages", "bytes"]]
    return [new - old for new, old in zip(found, before or [0, 0])]


def throughput(machine, report, spaces, seconds):
    """Saturated actions at their owner, the same on one node, and bare appends of batches of the same size."""
    owner = machine.owner(spaces[0])
    others = [machine.nodes[index] for index in range(3) if index != owner]
    cycles = [changes(space) for space in spaces]
    for space in spaces:
        fill(machine, 10, space)
        fill(machine, owner, space)
    alone_used = seconds_of(machine.single)
    alone, alone_time = saturate(machine, machine.port(10), cycles, seconds)
    alone_used = (seconds_of(machine.single) - alone_used) / alone
    idle = [seconds_of(node) for node in others]
    time.sleep(5)
    idle = sum(seconds_of(node) - was for node, was in zip(others, idle)) / 2 / 5
    before, used = size_of_entries(machine), seconds_of(machine.nodes[owner])
    followers = [seconds_of(node) for node in others]
    count, elapsed = saturate(machine, machine.port(owner), cycles, seconds)
    used = (seconds_of(machine.nodes[owner]) - used) / count
    followed = [(seconds_of(node) - was - idle * elapsed) / count for node, was in zip(others, followers)]
    messages, size = size_of_entries(machine, before)
    client = BareClient(machine.base)
    lanes = len(spaces)
    subjects = [f"bare.rate{lane}" for lane in range(lanes)]
    for lane, subject in enumerate(subjects):
        client.make_stream(f"bare-rate{lane}", subject)
    rate = client.rate(subjects, max(1, size // max(1, messages)), seconds)
    client.close()
    batch = count / messages
    report.line("commits/s at the owner ÷ bare appends", count / elapsed / (rate * batch), "×", -0.7,
                f"{count / elapsed:.0f}/s, {batch:.0f} commits and {size // messages} B an entry, bare {rate:.0f}/s")
    # What this machine could do at best: one node alone has no copies, no servers, and shares with the load only.
    report.line("commits/s of one node ÷ bare appends", alone / alone_time / (rate * batch), "×", None,
                f"{alone / alone_time:.0f}/s")
    report.line("processor of an action, owner ÷ one node", used / alone_used, "×", 1.3,
                f"{used * 1e6:.1f} µs, {alone_used * 1e6:.1f} µs at {alone / alone_time:.0f}/s")
    report.line("processor of a follower for a commit", statistics.mean(followed) * 1e6, "µs", 3)


def watch(port, path):
    """A stream that has received its first value."""
    stream = socket.create_connection(("127.0.0.1", port))
    stream.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n".encode())
    time.sleep(1)
    stream.recv(1 << 16)
    return stream


def until_visible(machine, actor, watcher, path, cycle, count):
    """The seconds from an action at one node to its event at another."""
    stream, times = watch(machine.port(watcher), path), []
    acting = socket.create_connection(("127.0.0.1", machine.port(actor)))
    for number in range(count):
        begin = time.perf_counter()
        acting.sendall(cycle[number % len(cycle)])
        while b"data:" not in stream.recv(1 << 16):
            pass
        times.append(time.perf_counter() - begin)
        acting.recv(1 << 16)
    stream.close()
    acting.close()
    return times


LOBBY = {
    "feature": "lobby", "home": "space",
    "state": {"cursors": {"table": {"key": {"type": "string"}, "row": {"type": "integer"}}, "kept": False}},
    "actions": {"move": {"input": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]},
                         "do": [{"put": "cursors", "key": "'a'", "row": "input.x"}]}},
    "views": {"sum": {"from": "cursors", "sum": "row"}},
}


def rows(machine, report, space, seconds):
    """Rows in memory: when another node shows them, and what a follower costs."""
    owner = machine.owner(space)
    other = (owner + 1) % 3
    status, answer = ask(machine.port(owner), "PUT", "/v1/features/lobby", LOBBY)
    if status not in (200, 201):
        raise SystemExit(f"bench: the feature is refused: {answer}")
    path = f"/v1/spaces/{space}/lobby/sum"
    moves = [text_of("POST", f"/v1/spaces/{space}/lobby/move", json.dumps({"x": x})) for x in (1, 2)]
    machine.until(lambda: all(ask(machine.port(index), "GET", path)[0] == 200 for index in (owner, other)), "no lobby")
    here, there = [statistics.median(until_visible(machine, owner, node, path, moves, 200)) for node in (owner, other)]
    report.line("a row in memory visible at its owner p50", here * 1e3, "ms", None)
    report.line("a row in memory visible at another node p50", there * 1e3, "ms", None)

    def cost(node):
        used = seconds_of(machine.nodes[node])
        count, _ = saturate(machine, machine.port(owner), [moves], seconds)
        return (seconds_of(machine.nodes[node]) - used) / count

    alone = cost(owner)
    stream = watch(machine.port(other), path)
    # The load reads its own answers only: the stream's events are conflated.
    followed = cost(owner)
    following = cost(other)
    stream.close()
    report.line("processor of its owner, followed ÷ alone", followed / alone, "×", None, f"{alone * 1e6:.1f} µs a change")
    report.line("processor of a follower ÷ its owner alone", following / alone, "×", None)


def latency(machine, report, figures, space):
    owner = machine.owner(space)
    other = (owner + 1) % 3
    fill(machine, owner, space)
    own = statistics.median(latencies(machine.port(owner), changes(space), 300))
    away = statistics.median(latencies(machine.port(other), changes(space), 300))
    report.line("action p50 − bare append p50", (own - figures["p50"]) * 1e3, "ms", 1.0, f"{own * 1e3:.2f} ms")
    report.line("forwarded − own, ÷ bare request and reply", (away - own) / figures["trip"], "×", 1.5,
                f"{away * 1e3:.2f} ms")
    # A stream at the other node; each event is of one action at the owner.
    times = until_visible(machine, owner, other, f"/v1/spaces/{space}/cart/numberOfItems", changes(space), 300)
    report.line("visible at another node p50 ÷ bare p50", statistics.median(times) / figures["p50"], "×", 2)
    report.line("visible at another node p99 ÷ bare p99", quantile(times, 0.99) / figures["p99"], "×", 5,
                f"{quantile(times, 0.99) * 1e3:.1f} ms")


def reads(machine, report, space, seconds):
    """The processor time of a read near, fresh, and of one node."""
    owner = machine.owner(space)
    other = (owner + 1) % 3
    path = f"/v1/spaces/{space}/cart/numberOfItems"
    fill(machine, 10, space)
    ways = [("one node", 10, "", [machine.single]), ("near", other, "Prefer: near\r\n", [machine.nodes[other]]),
            ("fresh", other, "", [machine.nodes[other], machine.nodes[owner]])]
    cost = {}
    for name, index, fields, processes in ways:
        used = sum(seconds_of(process) for process in processes)
        count, _ = saturate(machine, machine.port(index), [[text_of("GET", path, "", fields)]], seconds)
        cost[name] = (sum(seconds_of(process) for process in processes) - used) / count
    for name, target in [("near", 1.1), ("fresh", 1.25)]:
        report.line(f"processor of a read {name} ÷ one node", cost[name] / cost["one node"], "×", target,
                    f"{cost[name] * 1e6:.1f} µs, {cost['one node'] * 1e6:.1f} µs")


def idle(machine, report):
    report.line("an idle lane of servers without nodes", machine.idle_servers / (LANES + 1) * 100, "%", None)
    nodes = share_of(machine.nodes, 10)
    servers = share_of(machine.servers, 10)
    report.line("an idle lane, of a core, in all", (nodes + servers) / (LANES + 1) * 100, "%", 0.1,
                f"nodes {nodes * 100:.2f} %, servers {servers * 100:.2f} % of a core")


def catch_up(machine, report, spaces, seconds):
    """A node that comes back, and a bare consumer of the same lanes."""
    owner = machine.owner(spaces[0])
    late = (owner + 1) % 3
    for space in spaces:
        fill(machine, owner, space)
    machine.nodes[late].kill()
    machine.nodes[late].wait()
    shutil.rmtree(f"{machine.folder}/node-{NODES[late]}")
    saturate(machine, machine.port(owner), [changes(space) for space in spaces], seconds)
    messages, size = size_of_entries(machine)
    near = {"Prefer": "near"}
    version = sum(json.loads(ask(machine.port(owner), "GET", f"/v1/spaces/{space}", None, near)[1])["version"]
                  for space in spaces)
    machine.start_node(late)
    machine.until(lambda: has_answer(machine.port(late)), "the node does not come back")
    begin = time.perf_counter()
    machine.until(lambda: machine.is_ready(late), "the node does not catch up")
    elapsed = time.perf_counter() - begin
    client, rate, read = BareClient(machine.base), 0, 0
    for lane in range(LANES):
        count = client.api(f"STREAM.INFO.hw-bench-{lane}")["state"]["messages"]
        begin = time.perf_counter()
        other = BareClient(machine.base)
        rate += other.consume(f"hw-bench-{lane}", count) * (time.perf_counter() - begin)
        read += time.perf_counter() - begin
        other.close()
    rate /= read
    report.line("catch-up ÷ a bare consumer, bytes", size / elapsed / rate, "×", -0.5,
                f"{size / elapsed / 1e6:.1f} MB/s, bare {rate / 1e6:.1f} MB/s, {messages} entries")
    report.line("catch-up, commits/s", version / elapsed, "1/s", -100_000, f"{version} commits in {elapsed:.2f} s")


def has_answer(port):
    try:
        return ask(port, "GET", "/healthz")[0] == 200
    except (OSError, http.client.HTTPException):
        return False


def failover(machine, report, space, times, kind):
    """Ends the owner of a space again and again, and measures until another node has performed an action."""
    gaps, failed = [], 0
    for number in range(times):
        machine.until(lambda: all(machine.is_ready(index) for index in range(3)), "the nodes are not ready")
        owner = machine.owner(space)
        other = (owner + 1) % 3
        fill(machine, other, space)
        leader = None
        if kind == "node and leading server":
            client = BareClient(machine.base)
            leads = [client.api(f"STREAM.INFO.hw-bench-{lane}")["cluster"].get("leader", "") for lane in range(LANES)]
            client.close()
            # Which lane the space is in is not known here, so the server that leads most of them goes.
            leader = int(statistics.mode(leads)[-1])
        begin = time.perf_counter()
        machine.nodes[owner].send_signal(signal.SIGTERM if kind == "drain" else signal.SIGKILL)
        if leader is not None:
            machine.servers[leader].kill()
        gap = 0
        while True:
            sent = time.perf_counter()
            status = 0
            try:
                fields = {} if kind == "drain" else {"Idempotency-Key": f"failover-{number}-{begin}"}
                status, _ = ask(machine.port(other), "POST", f"/v1/spaces/{space}/cart/increment", {"productId": 1}, fields)
            except (OSError, http.client.HTTPException):
                pass
            gap = max(gap, time.perf_counter() - sent)
            if kind == "drain":
                failed += status != 200
                if machine.nodes[owner].poll() is not None:
                    break
            elif status == 200:
                gap = time.perf_counter() - begin
                break
        gaps.append(gap)
        machine.nodes[owner].wait()
        if leader is not None:
            machine.servers[leader].wait()
            machine.start_server(leader)
        machine.start_node(owner)
    target = {"node": 8, "node and leading server": 16, "drain": 0.5}[kind]
    report.line(f"failover of {kind}, longest of {times}", max(gaps), "s", target,
                f"median {statistics.median(gaps):.2f} s" + (f", {failed} failed actions" if kind == "drain" else ""))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--benchmarks", required=True, help="the program that makes the load")
    parser.add_argument("--sync", default="always", help="sync_interval of the servers; empty for that of old ones")
    parser.add_argument("--port", type=int, default=26_000)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--stages", default="latency,reads,rows,throughput,catch-up,failover")
    parser.add_argument("--json", help="a file for the figures")
    options = parser.parse_args()
    # The processes end with this one.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    folder = tempfile.mkdtemp(prefix="headwater-bench-")
    machine, report = Machine(options, folder), Report()
    try:
        print(f"load before: {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors, sync_interval {options.sync or '2m'}")
        machine.start()
        machine.settle()
        found = {}
        for number in range(30):
            found.setdefault(machine.owner(f"s{number}"), []).append(f"s{number}")
        spaces = max(found.values(), key=len)[:4]
        stages = options.stages.split(",")
        if "latency" in stages:
            figures = bare(machine, report)
            idle(machine, report)
            latency(machine, report, figures, spaces[0])
        if "reads" in stages:
            reads(machine, report, spaces[0], options.seconds)
        if "rows" in stages:
            rows(machine, report, spaces[0], options.seconds)
        if "throughput" in stages:
            throughput(machine, report, spaces, options.seconds)
        if "catch-up" in stages:
            catch_up(machine, report, spaces, options.seconds)
        if "failover" in stages:
            for kind in ["drain", "node", "node and leading server"]:
                failover(machine, report, spaces[0], options.times, kind)
        print(f"load after: {os.getloadavg()[0]:.1f}")
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(report.rows, indent=1) + "\n")
    finally:
        machine.end()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
