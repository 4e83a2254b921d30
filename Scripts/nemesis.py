"""The cluster, the faults and the clients of Scripts/nemesis, with Python's standard library only."""

import argparse
import http.client
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from switch import Switch, Way
from wanderers import FEATURE, Wanderer

# The namespace of the clients.
CLIENTS = "hwn-clients"
NODES = ["A", "B", "C"]
SPACES = ["one", "two", "three", "four"]


def run(*words, check=True):
    return subprocess.run(words, check=check, capture_output=True, text=True)


def space_name(index):
    return f"hwn-{index}"


def address(index):
    return f"10.78.0.{index + 1}"


class Cluster:
    """Three namespaces on one switch, each with a server of the log and a node."""

    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.processes = {}
        self.lock = threading.Lock()
        self.switch = None
        # The program of each node: with --from the older one, until the node is upgraded.
        self.programs = [options.older or options.program] * 3

    def build(self):
        self.remove()
        self.switch = Switch(4, self.options.seed)
        for port, tap in enumerate(self.switch.names):
            name, own = (CLIENTS, "10.78.0.254") if port == 3 else (space_name(port), address(port))
            run("ip", "netns", "add", name)
            run("ip", "link", "set", tap, "netns", name)
            inside = ["ip", "netns", "exec", name, "ip"]
            run(*inside, "addr", "add", f"{own}/24", "dev", tap)
            run(*inside, "link", "set", tap, "up")
            run(*inside, "link", "set", "lo", "up")
        self.switch.start()
        for index in range(3):
            self.configure(index)

    def configure(self, index):
        routes = ", ".join(f'"nats://{address(other)}:6222"' for other in range(3))
        with open(f"{self.folder}/server-{index}.conf", "w") as file:
            file.write(f"""server_name: server-{index}
listen: "0.0.0.0:4222"
max_payload: 8MB
jetstream {{ store_dir: "{self.folder}/server-{index}", max_mem: 64MB, max_file: 2GB, sync_interval: always }}
cluster {{ name: headwater, listen: "{address(index)}:6222", routes: [{routes}] }}
""")

    def environment(self, index):
        # The server of the same namespace first.
        order = [index] + [other for other in range(3) if other != index]
        return {**os.environ, "HEADWATER_CLUSTER": "nemesis", "HEADWATER_TOKEN": TOKEN,
                "HEADWATER_JOURNAL": ",".join(f"nats://{address(other)}:4222" for other in order)}

    def start(self, kind, index):
        with self.lock:
            process = self.processes.get((kind, index))
        if process and process.poll() is None:
            return  # Another fault has healed it before.
        words = ["ip", "netns", "exec", space_name(index)]
        if kind == "server":
            words += [self.options.server, "-c", f"{self.folder}/server-{index}.conf"]
        else:
            words += [self.programs[index], "serve", "--host", "0.0.0.0", "--port", "8080", "--node", NODES[index],
                      "--data", f"{self.folder}/node-{NODES[index]}"]
        with open(f"{self.folder}/{kind}-{index}.log", "a") as log:
            process = subprocess.Popen(words, stdout=log, stderr=log, env=self.environment(index))
        with self.lock:
            self.processes[kind, index] = process

    def signal(self, kind, index, number):
        with self.lock:
            process = self.processes.get((kind, index))
        if process and process.poll() is None:
            process.send_signal(number)

    def kill(self, kind, index):
        self.signal(kind, index, signal.SIGKILL)
        with self.lock:
            process = self.processes.pop((kind, index), None)
        if process:
            process.wait()

    def initialize(self):
        deadline = time.monotonic() + 60
        while True:
            result = subprocess.run(
                ["ip", "netns", "exec", space_name(0), self.programs[0], "cluster", "init", "--lanes", "6"],
                env=self.environment(0), capture_output=True, text=True)
            if result.returncode == 0:
                return
            if time.monotonic() > deadline:
                sys.exit(f"nemesis: no cluster: {result.stderr}")
            time.sleep(0.5)

    def upgrade(self, index):
        """Ends a node in order and starts the new program on its data, and waits until it is ready."""
        self.signal("node", index, signal.SIGTERM)
        with self.lock:
            process = self.processes.pop(("node", index))
        if code := process.wait(30):
            sys.exit(f"nemesis: the older program ended with {code}; the logs are in {self.folder}")
        self.programs[index] = self.options.program
        self.start("node", index)
        deadline = time.monotonic() + 60
        words = ["ip", "netns", "exec", space_name(index), self.options.program, "health", "http://127.0.0.1:8080/readyz"]
        while run(*words, check=False).returncode:
            if time.monotonic() > deadline:
                sys.exit(f"nemesis: the node {NODES[index]} is not ready after its upgrade; the logs are in {self.folder}")
            time.sleep(0.2)

    def downgrade(self, index):
        """Starts the older program on the data of a node, which must end in words. Returns its status and the words."""
        self.kill("node", index)
        words = ["ip", "netns", "exec", space_name(index), self.options.older, "serve", "--host", "0.0.0.0", "--port", "8080",
                 "--node", NODES[index], "--data", f"{self.folder}/node-{NODES[index]}"]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=self.environment(index), text=True)
        try:
            said, _ = process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            said, _ = process.communicate()
            return None, said
        return process.returncode, said

    def shape(self, index, sent=None, received=None):
        """Changes what a namespace sends, and what it receives."""
        self.switch.sent[index] = sent or Way()
        self.switch.received[index] = received or Way()

    def end(self):
        for kind in ["node", "server"]:
            for index in range(3):
                self.signal(kind, index, signal.SIGCONT)
                self.kill(kind, index)
        if self.switch:
            self.switch.end()
        self.remove()

    def remove(self):
        for index in range(3):
            run("ip", "netns", "del", space_name(index), check=False)
        run("ip", "netns", "del", CLIENTS, check=False)


# The faults: name → (makes it, heals it). Each is of one index.
def killed(kind):
    return (lambda cluster, index: cluster.kill(kind, index), lambda cluster, index: cluster.start(kind, index))


def stopped(kind):
    return (lambda cluster, index: cluster.signal(kind, index, signal.SIGSTOP),
            lambda cluster, index: cluster.signal(kind, index, signal.SIGCONT))


def shaped(**ways):
    return (lambda cluster, index: cluster.shape(index, **ways), lambda cluster, index: cluster.shape(index))


def everything(action, *more, kinds=("server", "node")):
    def do(cluster, _):
        for kind in kinds:
            for index in range(3):
                action(cluster, kind, index, *more)
    return do


def others(action, *more):
    """Does something to the two servers beside that of the index."""
    def do(cluster, index):
        for other in range(3):
            if other != index:
                action(cluster, "server", other, *more)
    return do


def both(first, second):
    return (lambda cluster, index: (first[0](cluster, index), second[0](cluster, index)),
            lambda cluster, index: (first[1](cluster, index), second[1](cluster, index)))


def filled(disk):
    """Leaves no byte on a disk: the fault, then the room again."""
    def path(cluster, index):
        return f"{cluster.folder}/{disk}-{NODES[index] if disk == 'node' else index}/fill"

    def fill(cluster, index):
        with open(path(cluster, index), "wb", buffering=0) as file:
            for size in [1 << 20, 1 << 12, 1]:
                try:
                    while file.write(bytes(size)) == size:
                        pass
                except OSError:
                    pass

    def empty(cluster, index):
        try:
            os.unlink(path(cluster, index))
        except FileNotFoundError:
            pass
        if disk == "server":
            # A nats-server that had no room serves its streams again after a restart.
            cluster.kill("server", index)
        # A node that found no room at its start has ended.
        cluster.start(disk, index)

    return fill, empty


FAULTS = {
    "none": (lambda cluster, index: None, lambda cluster, index: None),
    "node-killed": killed("node"),
    "server-killed": killed("server"),
    "both-killed": both(killed("server"), killed("node")),
    "node-stopped": stopped("node"),
    "server-stopped": stopped("server"),
    "both-stopped": both(stopped("server"), stopped("node")),
    "cut": shaped(sent=Way(loss=1), received=Way(loss=1)),
    "cut-one-way": shaped(received=Way(loss=1)),
    "cut-one-way-out": shaped(sent=Way(loss=1)),
    "delayed": shaped(received=Way(delay=0.05, jitter=0.02)),
    "lossy": shaped(received=Way(loss=0.05)),
    "reordered": shaped(received=Way(delay=0.02, reorder=0.25)),
    "slow-and-lossy": shaped(sent=Way(loss=0.05, delay=0.05, jitter=0.02), received=Way(loss=0.05, delay=0.05)),
    "two-servers-killed": (others(Cluster.kill), others(Cluster.start)),
    "two-servers-stopped": (others(Cluster.signal, signal.SIGSTOP), others(Cluster.signal, signal.SIGCONT)),
    "node-disk-full": filled("node"),
    "server-disk-full": filled("server"),
    "all-stopped": (everything(Cluster.signal, signal.SIGSTOP), everything(Cluster.signal, signal.SIGCONT)),
    "nodes-killed": (everything(Cluster.kill, kinds=["node"]), everything(Cluster.start, kinds=["node"])),
    "all-killed": (everything(Cluster.kill), everything(Cluster.start)),
}
HOLDS = [1, 3, 10, 30]


class History:
    """The observations, one JSON object a line."""

    def __init__(self, path):
        self.file = open(path, "w")
        self.lock = threading.Lock()
        self.counts = {}

    def write(self, **record):
        with self.lock:
            self.file.write(json.dumps(record) + "\n")
            kind = record["op"] + (f" {record['outcome']}" if "outcome" in record else "")
            self.counts[kind] = self.counts.get(kind, 0) + 1


TOKEN = "nemesis-" + str(random.randrange(1 << 60))
now = time.monotonic_ns


def request(index, method, path, body=None, fields=None, timeout=15):
    connection = http.client.HTTPConnection(address(index), 8080, timeout=timeout)
    try:
        connection.request(method, path, None if body is None else json.dumps(body),
                           {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json", **(fields or {})})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def version_of(tag):
    found = re.match(r'(?:W/)?"?(\d+)', tag or "")
    return int(found.group(1)) if found else 0


def outcome_of(status, content):
    if status == 200:
        return "ok"
    try:
        problem = json.loads(content).get("type", "")
    except ValueError:
        return "unknown"
    return "unknown" if problem.endswith("/outcome-unknown") else "refused"


def act(history, chance, name, stop):
    """Saves unique names, each at a node of its choice, and again with its key where the outcome is unknown."""
    count = 0
    while not stop.is_set():
        count += 1
        space, value = chance.choice(SPACES), f"{name}-{count}"
        key = f"key-{value}"
        begin, outcome, version = now(), "unknown", None
        for _ in range(chance.choice([1, 1, 3])):
            try:
                status, _, content = request(chance.randrange(3), "POST", f"/v1/spaces/{space}/user/save", {"name": value},
                                             {"Idempotency-Key": key})
                said = outcome_of(status, content)
            except (OSError, http.client.HTTPException):
                said = "unknown"
            # A refusal says nothing of an earlier attempt with an unknown outcome.
            if said == "ok":
                outcome, version = "ok", json.loads(content)["version"]
            elif said == "refused" and outcome == "unknown" and _ == 0:
                outcome = "refused"
            if outcome != "unknown":
                break
        end = now()
        rest = {"begin": begin, "end": end, "outcome": outcome, **({"version": version} if version else {})}
        history.write(op="write", space=space, value=value, **rest)
        history.write(op="add", space=f"{space} changes", element=value, **rest)
        time.sleep(chance.uniform(0, 0.05))


def look(history, chance, stop):
    while not stop.is_set():
        space, begin = chance.choice(SPACES), now()
        try:
            status, fields, content = request(chance.randrange(3), "GET", f"/v1/spaces/{space}/user/title")
        except (OSError, http.client.HTTPException):
            continue
        if status == 200:
            history.write(op="look", space=space, begin=begin, end=now(), fresh=True,
                          version=version_of(fields["ETag"]), elements={}, register=json.loads(content))
        time.sleep(chance.uniform(0, 0.1))


def follow(history, chance, name, space, path, stop, operation):
    """Follows events, each time at another node, from the last id on."""
    last = None
    while not stop.is_set():
        connection = http.client.HTTPConnection(address(chance.randrange(3)), 8080, timeout=20)
        try:
            fields = {"Authorization": f"Bearer {TOKEN}", "Accept": "text/event-stream"}
            if last:
                fields["Last-Event-ID"] = last
            connection.request("GET", path, headers=fields)
            answer = connection.getresponse()
            if answer.status != 200:
                answer.read()
                time.sleep(0.3)
                continue
            end = time.monotonic() + chance.uniform(2, 10)
            while not stop.is_set() and time.monotonic() < end:
                line = answer.readline().decode().strip()
                if not line and answer.closed:
                    break
                if line == "event: reset":
                    # No life ends here: the checker takes it for a way back.
                    history.write(op="event", stream=name, space=space, version=0)
                if line.startswith("id:"):
                    last = line[3:].strip()
                    record = {"stream": name} if operation == "event" else {"reader": name}
                    history.write(op=operation, space=space, version=version_of(last), **record)
        except (OSError, http.client.HTTPException):
            time.sleep(0.1)
        finally:
            connection.close()


def calm_request(index, path):
    """Looks again for a minute while the node answers 503: a busy machine loses leases for a moment."""
    deadline = time.monotonic() + 60
    while True:
        answer = request(index, "GET", path, timeout=30)
        if answer[0] != 503 or time.monotonic() > deadline:
            return answer
        time.sleep(1)


def define(feature):
    """Puts a feature, again while the node answers 503."""
    deadline = time.monotonic() + 60
    while True:
        status, _, content = request(0, "PUT", f"/v1/features/{feature['feature']}", feature)
        if status in (200, 201):
            return
        if status != 503 or time.monotonic() > deadline:
            sys.exit(f"nemesis: the feature is refused with {status}: {content.decode()}")
        time.sleep(0.5)


def finish(history):
    """Writes the content of every space as each node has it."""
    for index, node in enumerate(NODES):
        for space in SPACES:
            status, fields, content = calm_request(index, f"/v1/spaces/{space}/user/title")
            if status != 200:
                sys.exit(f"nemesis: the node {node} answers {status} after the calm: {content.decode()}")
            history.write(op="final", node=node, space=space, version=version_of(fields["ETag"]), elements={},
                          register=json.loads(content))
            elements, since = {}, 0
            while True:
                status, _, content = calm_request(index, f"/v1/spaces/{space}/changes?since={since}")
                rows = json.loads(content) if status == 200 else sys.exit(f"nemesis: {node} has no changes: {content.decode()}")
                if not rows:
                    break
                for row in rows:
                    if row["action"] == "user/save":
                        elements[row["input"]["name"]] = elements.get(row["input"]["name"], 0) + 1
                since = rows[-1]["version"]
            history.write(op="final", node=node, space=f"{space} changes", version=since, elements=elements)


def client(options):
    """The clients, in a namespace of their own, until standard input ends; then the end of the history."""
    history = History(options.history)
    chance = random.Random(options.seed)
    for space in SPACES:
        deadline = time.monotonic() + 60
        while True:
            begin = now()
            try:
                status, _, content = request(0, "POST", f"/v1/spaces/{space}/user/logIn", {"name": "begin"})
                if status == 200:
                    break
            except (OSError, http.client.HTTPException):
                pass
            if time.monotonic() > deadline:
                sys.exit(f"nemesis: no action is performed before the faults: {content.decode()}")
            time.sleep(0.5)
        history.write(op="write", space=space, value="begin", begin=begin, end=now(), outcome="ok", version=1)
    define(FEATURE)
    with open(f"{options.history}.begun", "w"):
        pass
    stop = threading.Event()
    threads = []
    for number in range(4):
        threads.append(threading.Thread(target=act, args=(history, random.Random(chance.random()), f"c{number}", stop)))
    for number in range(2):
        threads.append(threading.Thread(target=look, args=(history, random.Random(chance.random()), stop)))
    for number, space in enumerate(SPACES):
        for kind, path in [("event", f"/v1/spaces/{space}/views?view=user.title"),
                           ("change", f"/v1/spaces/{space}/changes?since=0")]:
            threads.append(threading.Thread(
                target=follow, daemon=True,
                args=(history, random.Random(chance.random()), f"{kind}-{number}", space, path, stop, kind)))
    for number in range(options.wanderers):
        wanderer = Wanderer(
            f"w{number}", history, random.Random(chance.random()), request,
            lambda index: http.client.HTTPConnection(address(index), 8080, timeout=10),
            {"Authorization": f"Bearer {TOKEN}"}, len(NODES), now)
        threads.append(threading.Thread(target=wanderer.run, args=(stop,), daemon=True))
    for thread in threads:
        thread.start()
    sys.stdin.readline()
    stop.set()
    for thread in threads:
        thread.join(25)
    finish(history)
    history.file.close()
    print(", ".join(f"{count} {kind}" for kind, count in sorted(history.counts.items())))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--calm", type=float, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", default=",".join(FAULTS))
    parser.add_argument("--together", type=float, default=0.3, help="the chance that a second fault joins the first")
    parser.add_argument("--wanderers", type=int, default=8, help="the clients that change their node with each request")
    parser.add_argument("--from", dest="older", help="an older program: the nodes are upgraded from it, one by one")
    parser.add_argument("--keep")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--server")
    parser.add_argument("--program")
    parser.add_argument("--checker")
    parser.add_argument("--client", action="store_true")
    parser.add_argument("--history")
    parser.add_argument("--token")
    parser.add_argument("rest", nargs="*")
    options = parser.parse_args()
    if options.list:
        return print(*FAULTS, sep="\n")
    if options.client:
        global TOKEN
        TOKEN = os.environ["HEADWATER_TOKEN"]
        return client(options)
    unknown = [name for name in options.faults.split(",") if name not in FAULTS]
    if unknown:
        sys.exit(f"nemesis: no such fault: {', '.join(unknown)}; see --list")
    sys.exit(attack(options, options.faults.split(",")))


def attack(options, names):
    folder = options.keep or tempfile.mkdtemp(prefix="headwater-nemesis-")
    os.makedirs(folder, exist_ok=True)
    options.program = os.path.abspath(options.program)
    options.older = options.older and os.path.abspath(options.older)
    cluster = Cluster(options, os.path.abspath(folder))
    mounts = []
    try:
        cluster.build()
        disks = [f"node-{node}" for node in NODES if "node-disk-full" in names]
        disks += [f"server-{index}" for index in range(3) if "server-disk-full" in names]
        for disk in disks:
            os.makedirs(f"{folder}/{disk}", exist_ok=True)
            run("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", f"{folder}/{disk}")
            mounts.append(f"{folder}/{disk}")
        for index in range(3):
            cluster.start("server", index)
        cluster.initialize()
        for index in range(3):
            cluster.start("node", index)
        history = f"{folder}/history"
        clients = subprocess.Popen(
            ["ip", "netns", "exec", CLIENTS, sys.executable, __file__, "--client", "--history", history, "--seed",
             str(options.seed), "--wanderers", str(options.wanderers)], stdin=subprocess.PIPE, env={**os.environ, "HEADWATER_TOKEN": TOKEN})
        while not os.path.exists(f"{history}.begun") and clients.poll() is None:
            time.sleep(0.2)
        chance = random.Random(options.seed)
        if options.older:
            for index in range(3):
                time.sleep(options.seconds / 4)
                print(f"upgrade of {NODES[index]}", flush=True)
                cluster.upgrade(index)
            time.sleep(options.seconds / 4)
        end = time.monotonic() + (0 if options.older else options.seconds)
        while time.monotonic() < end and clients.poll() is None:
            made = [(chance.choice(names), chance.randrange(3))]
            if chance.random() < options.together:
                made.append((chance.choice(names), chance.randrange(3)))
            hold = min(chance.choice(HOLDS), max(1, end - time.monotonic()))
            print(" and ".join(f"{name} {NODES[index]}" for name, index in made) + f" for {hold:.0f} s", flush=True)
            for name, index in made:
                FAULTS[name][0](cluster, index)
            time.sleep(hold)
            for name, index in made:
                FAULTS[name][1](cluster, index)
            time.sleep(chance.uniform(0, 4))
        print(f"calm for {options.calm:.0f} s", flush=True)
        time.sleep(options.calm)
        if clients.poll() is None:
            clients.stdin.write(b"\n")
            clients.stdin.close()
        if clients.wait(120):
            print(f"the clients failed; the logs are in {folder}")
            options.keep = folder
            return 1
        with open(history) as lines:
            code = subprocess.run([options.checker], stdin=lines).returncode
        if code:
            options.keep = folder
            print(f"the history and the logs are in {folder}")
        elif options.older:
            status, said = cluster.downgrade(0)
            last = said.strip().splitlines()[-1:] or ["no word"]
            print(f"a downgrade ends with {status}: {last[0]}")
            code = 0 if status else 1
        return code
    finally:
        cluster.end()
        for mount in mounts:
            run("umount", mount, check=False)
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)


main()
