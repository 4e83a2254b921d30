"""Repeats public benchmarks beside other programs of this machine: Scripts/bench public runs it.

Every part starts its servers on free ports with scratch data, each on the first processor, and loads
them from the second one. What is not installed is named, and its row left out. Compare rows of one
run only: machines differ more than programs.
"""

import argparse
import bisect
import http.client
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

ACCOUNTS = 100_000
BANK = {
    "feature": "bank", "home": "space",
    "types": {"Account": {"type": "object", "properties": {"balance": {"type": "integer", "minimum": 0}}, "required": ["balance"]}},
    "state": {"accounts": {"table": {"key": {"type": "string"}, "row": {"$ref": "#/types/Account"}}}},
    "actions": {
        "open": {
            "input": {"type": "object", "properties": {"ids": {"type": "array", "items": {"type": "string"}}}, "required": ["ids"]},
            "do": [{"each": "input.ids", "as": "id", "do": [
                {"put": "accounts", "key": "id", "row": "{'balance': 1000000000}"}]}]},
        "transfer": {
            "input": {"type": "object", "required": ["from", "to", "amount"], "properties": {
                "from": {"type": "string"}, "to": {"type": "string"}, "amount": {"type": "integer", "minimum": 1}}},
            "require": [{"that": "state.accounts[input.from].balance >= input.amount",
                         "else": {"detail": "the balance is too low", "pointer": "/amount"}}],
            "do": [{"update": "accounts", "key": "input.from", "with": "{'balance': row.balance - input.amount}"},
                   {"update": "accounts", "key": "input.to", "with": "{'balance': row.balance + input.amount}"}]},
    },
    "views": {"count": {"expression": "size(state.accounts)"}},
}
POSTS = {
    "feature": "posts", "home": "space",
    "types": {"Post": {"type": "object", "required": ["title", "public", "rank"], "properties": {
        "title": {"type": "string", "maxLength": 200}, "public": {"type": "boolean"}, "rank": {"type": "integer"}}}},
    "state": {"posts": {"table": {"key": {"type": "string"}, "row": {"$ref": "#/types/Post"}}}},
    "actions": {"create": {
        "input": {"type": "object", "required": ["id", "title", "public", "rank"], "properties": {
            "id": {"type": "string"}, "title": {"type": "string"}, "public": {"type": "boolean"}, "rank": {"type": "integer"}}},
        "do": [{"put": "posts", "key": "input.id",
                "row": "{'title': input.title, 'public': input.public, 'rank': input.rank}"}]}},
    "views": {
        "count": {"expression": "size(state.posts)"},
        "first": {"from": "posts", "sort": ["key"], "limit": 1000, "select": "{'id': key, 'title': row.title, 'rank': row.rank}"},
        "sorted": {"from": "posts", "sort": ["row.rank", "key"], "select": "{'id': key, 'rank': row.rank}"},
        "one": {"parameters": {"id": {"type": "string"}},
                "expression": "input.id in state.posts ? state.posts[input.id].rank : 0"},
    },
}


class Failure(Exception):
    """A reason to stop, for people."""


def request(method: str, path: str, body: object = None, fields: str = "") -> str:
    """A whole request, as the load generator sends it."""
    text = "" if body is None else body if isinstance(body, str) else json.dumps(body, separators=(",", ":"))
    kind = f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\n" if body is not None else ""
    return f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{fields}{kind}\r\n{text}"


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def tree(pid: int) -> list[int]:
    """A process and its children."""
    found = [pid]
    for one in found:
        try:
            for task in pathlib.Path(f"/proc/{one}/task").iterdir():
                found += [int(child) for child in (task / "children").read_text().split()]
        except OSError:
            continue
    return found


def processor_seconds(pid: int) -> float:
    """The time that a process and its children have taken, those of children that have ended included."""
    total = 0
    for one in tree(pid):
        try:
            words = pathlib.Path(f"/proc/{one}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        total += sum(int(word) for word in words[11:15])
    return total / os.sysconf("SC_CLK_TCK")


def written_bytes(pid: int) -> int:
    """The bytes that a process and its children have had written to disks."""
    total = 0
    for one in tree(pid):
        try:
            text = pathlib.Path(f"/proc/{one}/io").read_text()
        except OSError:
            continue
        total += int(re.findall(r"^write_bytes: (\d+)", text, re.MULTILINE)[0])
    return total


def pinned(command: list[str], processor: int) -> list[str]:
    """A command that runs on one processor, if the machine has several."""
    return ["taskset", "-c", str(processor), *command] if (os.cpu_count() or 1) > 1 else command


class Load(NamedTuple):
    """What a load measured."""

    rate: float
    """Answers each second."""
    cost: float
    """Microseconds of the server's processor for each answer."""
    written: float
    """Bytes written to the disk for each answer."""


class Server:
    """A server of a benchmark, from its start to the end of the block."""

    def __init__(self, command: list[str], port: int | None = None) -> None:
        told = subprocess.PIPE if port is None else subprocess.DEVNULL
        self.process = subprocess.Popen(pinned(command, 0), stdout=told, stderr=subprocess.DEVNULL)
        try:
            self.port = self.told_port(command[0]) if port is None else port
            wait_for(self.port, command[0])
        except BaseException:
            self.__exit__()
            raise

    def told_port(self, name: str) -> int:
        """The port in the first line that the server prints."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline().decode()
        words = re.search(r":(\d+)", line)
        if words is None:
            raise Failure(f"{name} does not start: {line}")
        return int(words.group(1))

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def ask(self, method: str, path: str, body: object = None) -> bytes:
        """Sends a request, and returns the content of the answer."""
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        client.request(method, path, None if body is None else json.dumps(body), {"Content-Type": "application/json"})
        answer = client.getresponse()
        content = answer.read()
        client.close()
        if answer.status >= 300:
            raise Failure(f"{method} {path} is answered {answer.status}: {content.decode()[:300]}")
        return content


def wait_for(port: int, name: str) -> None:
    """Waits until a server listens."""
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise Failure(f"{name} does not listen")


class Bench:
    """The programs, and the scratch data of a run."""

    def __init__(self, program: str, benchmarks: str, seconds: float, scratch: str) -> None:
        self.program, self.benchmarks, self.seconds = program, benchmarks, seconds
        self.scratch = pathlib.Path(scratch)
        self.count = itertools.count()

    def place(self) -> str:
        """A new path for data."""
        return str(self.scratch / f"data{next(self.count)}")

    def ours(self, durability: str = "commit", *, swift: bool = False, memory: bool = False) -> Server:
        """Our server, with one loop as the others have one thread."""
        command = [self.benchmarks, "bank"] if swift else [self.program, "serve", "--examples", "none"]
        data = ["--memory"] if memory else ["--data", self.place(), "--durability", durability]
        return Server([*command, "--port", "0", "--threads", "1", "--log-level", "error", *data])

    def load(self, server: Server, connections: int, cycles: list[list[str]]) -> Load:
        """Loads a server."""
        pid = server.process.pid
        before, bytes_before = processor_seconds(pid), written_bytes(pid)
        done = subprocess.run(
            pinned([self.benchmarks, "load", str(server.port), str(connections), str(self.seconds)], 1),
            input=json.dumps(cycles), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failure(f"the load ended: {done.stderr[-300:]}")
        count, seconds = (float(word) for word in done.stdout.split())
        taken, written = processor_seconds(pid) - before, written_bytes(pid) - bytes_before
        return Load(count / seconds, taken * 1e6 / max(1, count), written / max(1, count))

    def fanout(self, port: int, streams: int, rounds: int, course: dict[str, object]) -> dict[str, int]:
        """Opens streams, and measures the time from a request to its events."""
        done = subprocess.run(
            pinned([self.benchmarks, "fanout", str(port), str(streams), str(rounds)], 1),
            input=json.dumps(course), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failure(f"the streams ended: {done.stderr[-300:]}")
        figures: dict[str, int] = json.loads(done.stdout)
        return figures


class Zipf:
    """Numbers below a count, of which the first ones are drawn most often: with alpha 0 all alike."""

    def __init__(self, count: int, alpha: float, seed: int) -> None:
        self.random = random.Random(seed)
        self.sums = list(itertools.accumulate((rank + 1) ** -alpha for rank in range(count)))

    def pair(self) -> tuple[int, int]:
        """Two different numbers."""
        one = self.draw()
        while (other := self.draw()) == one:
            pass
        return one, other

    def draw(self) -> int:
        """One number."""
        return bisect.bisect(self.sums, self.random.random() * self.sums[-1])


def title(text: str, *columns: str) -> None:
    """Prints the head of a table."""
    print(f"\n{text}\n\n| {' | '.join(columns)} |\n|{'|'.join(['---'] + ['--:'] * (len(columns) - 1))}|", flush=True)


def row(*cells: object) -> None:
    """Prints a row of a table."""
    print(f"| {' | '.join(f'{cell:,.0f}' if isinstance(cell, (int, float)) else str(cell) for cell in cells)} |", flush=True)


def missing(name: str, package: str) -> None:
    """Says that a program is not here."""
    row(f"{name}: not installed (the package {package})", "", "")


# The transfer

def transfers(alpha: float, method: str) -> list[list[str]]:
    """For each of 50 connections the transfers that it repeats."""
    numbers = Zipf(ACCOUNTS, alpha, 1)
    cycles = []
    for _ in range(50):
        cycle = []
        for _ in range(200):
            source, target = numbers.pair()
            cycle.append(request("POST", method, {"from": f"a{source}", "to": f"a{target}", "amount": 1}))
        cycles.append(cycle)
    return cycles


def open_accounts(server: Server) -> None:
    """Opens the accounts of our bank."""
    for first in range(0, ACCOUNTS, 1000):
        server.ask("POST", "/v1/spaces/main/bank/open", {"ids": [f"a{number}" for number in range(first, first + 1000)]})


def transfer_ours(bench: Bench, durability: str, alphas: list[float], *, swift: bool) -> list[float | str]:
    """The transfers of our server."""
    with bench.ours(durability, swift=swift) as server:
        if not swift:
            server.ask("PUT", "/v1/features/bank", BANK)
        open_accounts(server)
        return rates([bench.load(server, 50, transfers(alpha, "/v1/spaces/main/bank/transfer")) for alpha in alphas])


def rates(loads: list[Load]) -> list[float | str]:
    """The rates, then what the first load cost the server."""
    return [*(load.rate for load in loads), f"{loads[0].cost:.1f}", f"{loads[0].written:,.0f}"]


def transfer_sqlite(bench: Bench, synchronous: str, alphas: list[float]) -> list[float | str]:
    """The transfers of SQLite in a small server."""
    with Server([bench.benchmarks, "sqlite", bench.place(), str(ACCOUNTS), synchronous]) as server:
        return rates([bench.load(server, 50, transfers(alpha, "/transfer")) for alpha in alphas])


POSTGRES_SCHEMA = f"""
CREATE TABLE accounts (id integer PRIMARY KEY, balance bigint NOT NULL CHECK (balance >= 0));
INSERT INTO accounts SELECT n, 1000000000 FROM generate_series(1, {ACCOUNTS}) n;
CREATE FUNCTION transfer(source integer, target integer, amount bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM accounts WHERE id IN (source, target) ORDER BY id FOR UPDATE;
    UPDATE accounts SET balance = balance - amount WHERE id = source;
    UPDATE accounts SET balance = balance + amount WHERE id = target;
END $$;
VACUUM ANALYZE accounts;
"""


def transfer_postgres(bench: Bench, synchronous: str, alphas: list[float]) -> list[float] | None:
    """The transfers of PostgreSQL: one call of a function for each, over TCP, by pgbench."""
    homes = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not homes or shutil.which("runuser") is None:
        return None
    home, data, port = homes[-1].parent, bench.place(), free_port()
    user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    pathlib.Path(data).mkdir()
    if user:
        shutil.chown(data, "postgres")
        bench.scratch.chmod(0o755)
    name = "postgres" if user else os.environ.get("USER", "postgres")

    def run(command: list[str], text: str | None = None) -> str:
        done = subprocess.run([*user, *command], input=text, capture_output=True, text=True, check=False, cwd="/")
        if done.returncode != 0:
            raise Failure(f"{command[0]}: {done.stderr[-300:]}")
        return done.stdout

    run([str(home / "initdb"), "-D", data, "-A", "trust", "-U", name])
    options = ["-p", str(port), "-k", "/tmp", "-c", f"synchronous_commit={synchronous}", "-c", "shared_buffers=256MB"]
    with Server([*user, str(home / "postgres"), "-D", data, *options], port):
        login = ["-h", "127.0.0.1", "-p", str(port), "-U", name, "postgres"]
        for _ in range(100):
            ready = subprocess.run([*user, str(home / "pg_isready"), *login[:4]], capture_output=True, check=False, cwd="/")
            if ready.returncode == 0:
                break
            time.sleep(0.1)
        run([str(home / "psql"), "-q", *login], POSTGRES_SCHEMA)
        found = []
        for alpha in alphas:
            draw = f"random(1, {ACCOUNTS})" if alpha == 0 else f"random_zipfian(1, {ACCOUNTS}, {alpha})"
            script = pathlib.Path(bench.place())
            script.write_text(f"\\set a {draw}\n\\set b {draw}\nSELECT transfer(:a, :b, 1);\n")
            script.chmod(0o644)
            told = run(pinned([
                str(home / "pgbench"), "-n", "-M", "prepared", "-c", "50", "-j", "1", "-T", str(round(bench.seconds)),
                "-f", str(script), *login], 1))
            found.append(float(re.findall(r"tps = ([\d.]+)", told)[-1]))
        return found


REDIS_SCRIPT = """
local function place(text)
    local u, alpha = (tonumber(text) + 0.5) / 1000000, tonumber(ARGV[1])
    if alpha == 0 then return math.floor(u * 100000) end
    return math.floor((1 - u * (1 - 100000 ^ (1 - alpha))) ^ (1 / (1 - alpha))) - 1
end
local a, b = 'a' .. place(KEYS[1]), 'a' .. place(KEYS[2])
local balance = tonumber(redis.call('GET', a) or '1000000000')
if balance < 1 then return redis.error_reply('the balance is too low') end
redis.call('SET', a, balance - 1)
redis.call('SET', b, tonumber(redis.call('GET', b) or '1000000000') + 1)
return 1
"""


def transfer_redis(bench: Bench, fsync: str, alphas: list[float]) -> list[float] | None:
    """The transfers of Redis: one call of a script for each, by redis-benchmark. It draws by the continuous power law."""
    if shutil.which("redis-server") is None:
        return None
    data, port = bench.place(), free_port()
    pathlib.Path(data).mkdir()
    options = ["--port", str(port), "--dir", data, "--appendonly", "yes", "--appendfsync", fsync, "--save", ""]
    with Server(["redis-server", *options], port):
        found = []
        for alpha in alphas:
            count = 2_000
            while True:
                start = time.monotonic()
                done = subprocess.run(
                    pinned(["redis-benchmark", "-p", str(port), "-c", "50", "-n", str(count), "-r", "1000000", "--csv",
                            "eval", REDIS_SCRIPT, "2", "__rand_int__", "__rand_int__", str(alpha)], 1),
                    capture_output=True, text=True, check=False)
                if done.returncode != 0:
                    raise Failure(f"redis-benchmark: {done.stderr[-300:]}{done.stdout[-300:]}")
                taken = time.monotonic() - start
                if taken >= bench.seconds * 0.7:
                    break
                count = round(count * min(10.0, 1.2 * bench.seconds / max(taken, 0.01)))
            found.append(float(done.stdout.strip().splitlines()[-1].split(",")[1].strip('"')))
        return found


def transfer(bench: Bench) -> None:
    """SpacetimeDB's keynote transfer."""
    alphas = [0, 1.5]
    title(f"Transfers between {ACCOUNTS:,} accounts, 50 connections, one transfer under way on each", "what",
          "transfers a second, all accounts alike", "the first ones most often (α 1.5)", "µs of processor each",
          "bytes to disk each")
    parts = [
        ("Headwater, a feature in Swift, synced before the answer", lambda: transfer_ours(bench, "commit", alphas, swift=True)),
        ("Headwater, a document, synced before the answer", lambda: transfer_ours(bench, "commit", alphas, swift=False)),
        ("SQLite in a small server, `synchronous = FULL`", lambda: transfer_sqlite(bench, "FULL", alphas)),
        ("PostgreSQL, `synchronous_commit = on`", lambda: transfer_postgres(bench, "on", alphas)),
        ("Redis, `appendfsync always`", lambda: transfer_redis(bench, "always", alphas)),
        ("Headwater, a feature in Swift, answered up to 100 ms before the sync",
         lambda: transfer_ours(bench, "interval", alphas, swift=True)),
        ("Headwater, a document, answered up to 100 ms before the sync",
         lambda: transfer_ours(bench, "interval", alphas, swift=False)),
        ("SQLite in a small server, `synchronous = NORMAL`", lambda: transfer_sqlite(bench, "NORMAL", alphas)),
        ("PostgreSQL, `synchronous_commit = off`", lambda: transfer_postgres(bench, "off", alphas)),
        ("Redis, `appendfsync everysec`", lambda: transfer_redis(bench, "everysec", alphas)),
    ]
    packages = {"PostgreSQL": "postgresql", "Redis": "redis-server"}
    for name, part in parts:
        found = part()
        if found is None:
            missing(name, packages[name.split(",")[0]])
        else:
            row(name, *found, *[""] * (4 - len(found)))


# Creates and lists

def creates(bench: Bench) -> None:
    """The shape of PocketBase's benchmark."""
    title("50,000 creates by 500 clients, and lists of 1,000 rows by 100", "what", "a second", "µs of processor each",
          "seconds for 50,000")
    ruled = json.loads(json.dumps(POSTS))
    ruled["actions"]["create"]["allow"] = "input.public || token.sub != ''"
    for name, document in [("creates without a rule", POSTS), ("creates with a rule", ruled)]:
        with bench.ours() as server:
            server.ask("PUT", "/v1/features/posts", document)
            cycles = [[request("POST", "/v1/spaces/main/posts/create", {
                "id": f"{client}-{number}", "title": "A post with a title of some forty letters", "public": True,
                "rank": client * 100 + number}) for number in range(100)] for client in range(500)]
            load = bench.load(server, 500, cycles)
            row(f"{name}, synced before the answer", load.rate, f"{load.cost:.1f}", f"{50_000 / load.rate:.1f}")
            if name == "creates with a rule":
                continue
            load = bench.load(server, 100, [[request("GET", "/v1/spaces/main/posts/first")]])
            row("lists of the first 1,000 of these rows", load.rate, f"{load.cost:.1f}", "")


# Streams

def parameters(bench: Bench) -> None:
    """Electric's write to client: many streams of different parameters on one table."""
    title("From a write to the one stream that shows its row, among streams of other rows of the table", "streams",
          "median µs", "99 % within µs")
    for count in [1, 10, 100, 1_000, 10_000]:
        with bench.ours(memory=True) as server:
            server.ask("PUT", "/v1/features/posts", POSTS)
            fill(server, 10_000)
            streams = [request("GET", f"/v1/spaces/main/posts/one?id=p{number}&events=1") for number in range(count)]
            writes = [request("POST", "/v1/spaces/main/posts/create", {
                "id": f"p{number % count}", "title": "t", "public": True, "rank": 1_000_000 + number}) for number in range(300)]
            figures = bench.fanout(server.port, count, 300, {"streams": streams, "requests": writes, "events": 1})
            row(f"{count:,}", figures["median"], figures["p99"])


def fill(server: Server, count: int) -> None:
    """Creates posts, 100 in a commit."""
    for first in range(0, count, 100):
        server.ask("POST", "/v1/spaces/main/actions", {"actions": [{"name": "posts/create", "input": {
            "id": f"p{number}", "title": "t", "public": True, "rank": number}} for number in range(first, first + 100)]})


NCHAN = """
load_module {modules}/ngx_nchan_module.so;
worker_processes 1; daemon off; pid {data}/pid; error_log {data}/error.log crit;
events {{ worker_connections 65000; }}
http {{ access_log off; client_body_temp_path {data}/body; proxy_temp_path {data}/proxy; fastcgi_temp_path {data}/fastcgi;
    uwsgi_temp_path {data}/uwsgi; scgi_temp_path {data}/scgi;
    server {{ listen 127.0.0.1:{port};
        location = /pub {{ nchan_publisher; nchan_channel_id x; }}
        location = /sub {{ nchan_subscriber eventsource; nchan_channel_id x; nchan_subscriber_first_message newest; }} }} }}
"""


def fan(bench: Bench) -> None:
    """Mercure's and nchan's fan-out."""
    title("From a write to each of the streams that show it", "what", "streams", "median µs", "99 % within µs")
    limit = int(subprocess.run(["sh", "-c", "ulimit -n"], capture_output=True, text=True, check=True).stdout)
    modules = pathlib.Path("/usr/lib/nginx/modules")
    for count in [1_000, 10_000, 40_000]:
        if limit < count + 1_000:
            row(f"not measured: {limit:,} open files are permitted", f"{count:,}", "", "")
            continue
        rounds = 100 if count < 10_000 else 30
        writes = [request("POST", "/v1/spaces/main/user/logIn", {"name": f"{10_000_000 + number}"}) for number in range(rounds)]
        with Server([bench.program, "serve", "--port", "0", "--memory", "--threads", "1", "--examples", "user",
                     "--log-level", "error"]) as server:
            streams = [request("GET", "/v1/spaces/main/user/title?events=1")]
            figures = bench.fanout(server.port, count, rounds, {"streams": streams, "requests": writes, "events": count})
            row("Headwater", f"{count:,}", figures["median"], figures["p99"])
        if (modules / "ngx_nchan_module.so").exists():
            data, port = bench.place(), free_port()
            pathlib.Path(data).mkdir()
            file = pathlib.Path(data) / "nginx.conf"
            file.write_text(NCHAN.format(modules=modules, data=data, port=port))
            with Server(["nginx", "-c", str(file), "-p", data], port):
                course = {"streams": [request("GET", "/sub", fields="Accept: text/event-stream\r\n")],
                          "requests": [request("POST", "/pub", f"{10_000_000 + number}") for number in range(rounds)],
                          "events": count}
                figures = bench.fanout(port, count, rounds, course)
                row("nchan, one worker", f"{count:,}", figures["median"], figures["p99"])
        else:
            missing("nchan", "libnginx-mod-nchan")
        with Server([bench.benchmarks, "floor"]) as server:
            course = {"streams": [request("GET", "/events")], "requests": writes, "events": count}
            figures = bench.fanout(server.port, count, rounds, course)
            row("the floor: a loop of writes and nothing else", f"{count:,}", figures["median"], figures["p99"])


CLIENT = """
import { patch } from './client.mjs';
let list = Array.from({ length: 100000 }, (_, rank) => ({ id: 'p' + rank, rank }));
const times = [];
for (let round = 0; round < 300; round += 1) {
  const place = (round * 7919) % 100000;
  const start = process.hrtime.bigint();
  list = patch(list, [{ op: 'remove', path: '/' + place }, { op: 'add', path: '/' + (99999 - place), value: { id: 'x', rank: 1 } }]);
  times.push(Number(process.hrtime.bigint() - start) / 1000);
}
times.sort((a, b) => a - b);
console.log(JSON.stringify([times[150], times[297]]));
"""


def sorted_row(bench: Bench, root: pathlib.Path) -> None:
    """One row of a sorted list of 100,000: TanStack DB's figure."""
    title("One row moves in a sorted list of 100,000", "what", "median µs", "99 % within µs")
    with bench.ours(memory=True) as server:
        server.ask("PUT", "/v1/features/posts", POSTS)
        fill(server, 100_000)
        streams = [request("GET", "/v1/spaces/main/posts/sorted?events=1&delta=json-patch")]
        writes = [request("POST", "/v1/spaces/main/posts/create", {
            "id": f"p{number * 331 % 100_000}", "title": "t", "public": True, "rank": (number * 331 + 50_000) % 100_000})
            for number in range(300)]
        figures = bench.fanout(server.port, 1, 300, {"streams": streams, "requests": writes, "events": 1})
        row("the server: from a write to the patch at its stream", figures["median"], figures["p99"])
    if shutil.which("node") is None:
        return missing("the client of browsers", "nodejs")
    place = pathlib.Path(bench.place())
    place.mkdir()
    shutil.copy(root / "Sources/CAssets/Client/client.js", place / "client.mjs")
    (place / "measure.mjs").write_text(CLIENT)
    done = subprocess.run(["node", str(place / "measure.mjs")], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failure(f"node: {done.stderr[-300:]}")
    row("the client of browsers, in Node.js: the list with the patch", *json.loads(done.stdout))
    return None


def main() -> None:
    """Runs the parts that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, help="the release of headwater")
    parser.add_argument("--benchmarks", required=True, help="the release of Benchmarks")
    parser.add_argument("--seconds", type=float, default=8, help="the time of each load (8)")
    parser.add_argument("parts", nargs="*", help="transfer, creates, parameters, fan, sorted (all)")
    arguments = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parent.parent
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(arguments.program, arguments.benchmarks, arguments.seconds, scratch)
        parts = {
            "transfer": lambda: transfer(bench), "creates": lambda: creates(bench),
            "parameters": lambda: parameters(bench), "fan": lambda: fan(bench), "sorted": lambda: sorted_row(bench, root),
        }
        for name in arguments.parts or parts:
            if name not in parts:
                raise Failure(f"there is no part {name}: {', '.join(parts)}")
            parts[name]()


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"public: {failure}")
