"""Counts the instructions of a request: Scripts/bench instructions runs it.

Processor times differ by tens of percent on shared machines; instructions do not. The server runs
under callgrind, which counts while one client performs each case a fixed number of times. The
table in Scripts/instructions.tsv is kept; a case that needs more than BOUND times its figure
fails.
"""

import argparse
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time

BOUND = 1.03
TABLE = pathlib.Path(__file__).parent / "instructions.tsv"
HEAD = "case\tinstructions\tmeaning"
START = 120.0


class Failure(Exception):
    """A reason to stop, for people."""


class Connection:
    """A connection that is kept alive, for requests and for streams."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.buffer = b""

    def close(self) -> None:
        """Closes the connection."""
        self.socket.close()

    def fill(self) -> None:
        """Reads what has arrived."""
        received = self.socket.recv(1 << 16)
        if not received:
            raise Failure("the server has closed a connection")
        self.buffer += received

    def head(self) -> bytes:
        """Reads the head of an answer."""
        while b"\r\n\r\n" not in self.buffer:
            self.fill()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        return head

    def send(self, method: str, path: str, body: bytes = b"", fields: str = "") -> tuple[int, bytes]:
        """Sends a request. Returns the status and the head of the answer, whose body it reads."""
        kind = "Content-Type: application/json\r\n" if body else ""
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{kind}{fields}Content-Length: {len(body)}\r\n\r\n"
        self.socket.sendall(head.encode() + body)
        answer = self.head()
        length = re.search(rb"(?i)content-length: (\d+)", answer)
        size = int(length.group(1)) if length else 0
        while len(self.buffer) < size:
            self.fill()
        self.buffer = self.buffer[size:]
        return int(answer.split(b" ", 2)[1]), answer

    def follow(self, path: str) -> None:
        """Opens a stream of events, and reads the first."""
        self.socket.sendall(
            f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n".encode()
        )
        self.head()
        self.event()

    def event(self) -> None:
        """Reads until the end of the next event that has data."""
        while True:
            while b"\n\n" not in self.buffer:
                self.fill()
            event, self.buffer = self.buffer.split(b"\n\n", 1)
            if b"data:" in event:
                return


class Server:
    """A server under callgrind."""

    def __init__(self, program: pathlib.Path, folder: pathlib.Path, *options: str) -> None:
        folder.mkdir()
        self.folder = folder
        # valgrind does not read the debug information of every compiler.
        stripped = folder / "headwater"
        subprocess.run(["strip", "-o", stripped, program], check=True)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.process = subprocess.Popen(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", stripped, "serve",
             "--port", str(self.port), *options],
            cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.dumps = 0
        deadline = time.monotonic() + START
        while True:
            try:
                connection = Connection(self.port)
                connection.send("GET", "/readyz")
                connection.close()
                return
            except (OSError, Failure):
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise Failure("the server does not start under callgrind") from None
                time.sleep(0.2)

    def control(self, option: str) -> None:
        """Sends callgrind a command."""
        command = ["callgrind_control", option, str(self.process.pid)]
        answer = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        if "OK" not in answer.stdout:
            raise Failure(f"callgrind_control {option}: {answer.stdout}{answer.stderr}")

    def count(self, body) -> int:
        """Returns the instructions that the server takes while body runs."""
        self.control("-z")
        body()
        self.control("-d")
        self.dumps += 1
        text = (self.folder / f"out.{self.dumps}").read_text()
        return sum(int(number) for number in re.findall(r"^totals: (\d+)$", text, re.MULTILINE))

    def stop(self) -> None:
        """Ends the server."""
        self.process.kill()
        self.process.wait()


class Cases:
    """Counts cases, and keeps their figures."""

    def __init__(self, rounds: int) -> None:
        self.rounds = rounds
        self.results: dict[str, tuple[float, str]] = {}
        self.number = 0

    def action(self, connection: Connection) -> None:
        """Performs an action that changes a view of one value."""
        self.number += 1
        body = b'{"name":"n%d"}' % (self.number % 10)
        status, head = connection.send("POST", "/v1/spaces/main/user/logIn", body)
        if status != 200:
            raise Failure(f"an action answers {status}: {head!r}")

    def case(self, server: Server, name: str, meaning: str, body, divisor: int = 1) -> None:
        """Counts one case."""
        for _ in range(self.rounds // 4):
            body()
        total = server.count(lambda: [body() for _ in range(self.rounds)])
        self.results[name] = (total / self.rounds / divisor, meaning)

    def count_in_memory(self, server: Server) -> None:
        """Counts what a server does that keeps nothing."""
        client = Connection(server.port)
        path = "/v1/spaces/main/user/name"
        self.action(client)
        self.case(server, "read", "a snapshot of one value", lambda: client.send("GET", path))
        tag = re.search(rb"(?i)etag: (\S+)", client.send("GET", path)[1])
        if not tag:
            raise Failure("a snapshot has no tag")
        known = f"If-None-Match: {tag.group(1).decode()}\r\n"
        self.case(server, "look", "a snapshot that the client has",
                  lambda: client.send("GET", path, fields=known))  # fmt: skip
        self.case(server, "action", "an action in memory", lambda: self.action(client))
        self.case(server, "refusal", "an action whose input does not fit",
                  lambda: client.send("POST", "/v1/spaces/main/user/logIn", b'{"name":1}'))  # fmt: skip
        streams = [Connection(server.port) for _ in range(100)]
        for stream in streams:
            stream.follow(path)

        def spread() -> None:
            self.action(client)
            for stream in streams:
                stream.event()

        self.case(server, "event", "an event to one of 100 streams, with its part of the action",
                  spread, len(streams))  # fmt: skip

    def count_on_disk(self, server: Server) -> None:
        """Counts what a server with a data directory does beside that."""
        client = Connection(server.port)
        self.case(server, "kept", "an action on disk, without durability", lambda: self.action(client))


def table() -> dict[str, float]:
    """Reads the kept table."""
    if not TABLE.exists():
        return {}
    rows = [line.split("\t") for line in TABLE.read_text().splitlines()[1:]]
    return {row[0]: float(row[1]) for row in rows}


def main() -> int:
    """Measures, prints, and compares with the kept table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--keep", action="store_true", help="write the figures to the table")
    arguments = parser.parse_args()
    cases = Cases(arguments.rounds)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for count, *options in (
            (cases.count_in_memory, "--memory"),
            (cases.count_on_disk, "--data", str(folder / "data"), "--durability", "none"),
        ):
            server = Server(arguments.program.resolve(), folder / count.__name__, *options)
            try:
                count(server)
            finally:
                server.stop()
    results = cases.results
    kept = table()
    worse = []
    print(f"{'case':10} {'instructions':>12} {'kept':>10} {'ratio':>6}")
    for name, (figure, _) in results.items():
        old = kept.get(name)
        ratio = "" if old is None else f"{figure / old:.3f}"
        print(f"{name:10} {figure:12.0f} {old or 0:10.0f} {ratio:>6}")
        if old is not None and figure > old * BOUND:
            worse.append(name)
    if arguments.keep:
        rows = [f"{name}\t{figure:.0f}\t{meaning}" for name, (figure, meaning) in results.items()]
        TABLE.write_text("\n".join([HEAD, *rows]) + "\n")
        return 0
    if worse:
        print(f"more than {BOUND - 1:.0%} above the kept table: {', '.join(worse)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        sys.exit(f"instructions: {failure}")
