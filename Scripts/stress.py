"""The stress tests of Scripts/stress, with Python's standard library only."""

import json
import os
import random
import resource
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

PROGRAM = sys.argv[1]


class Server:
    """A running server process."""

    def __init__(self, *arguments, limits=None):
        self.process = subprocess.Popen(
            [PROGRAM, "--port", "0", *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            preexec_fn=lambda: [resource.setrlimit(kind, (value, value)) for kind, value in (limits or {}).items()])
        self.port = int(self.process.stdout.readline().decode().rsplit(":", 1)[1])

    def connect(self, receive=None, timeout=20):
        client = socket.socket()
        if receive:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
        client.settimeout(timeout)
        client.connect(("127.0.0.1", self.port))
        return client

    def ask(self, method, path, body=None):
        """Sends a request on a new connection; returns the status and the content of the response."""
        with self.connect() as client:
            client.sendall(request(method, path, body, "Connection: close\r\n"))
            data = b""
            while more := client.recv(65536):
                data += more
        head, _, content = data.partition(b"\r\n\r\n")
        return int(head.split()[1]), content

    def memory(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) // 1024

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        began = time.monotonic()
        code = self.process.wait(15)
        return code, time.monotonic() - began

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def request(method, path, body=None, fields=""):
    if body is not None:
        fields += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n{body or ''}".encode()


def save(name):
    return json.dumps({"name": name})


EVENTS = request("GET", "/v1/spaces/main/user/title", None, "Accept: text/event-stream\r\n")


def streams():
    """Ten thousand open streams, and a change that reaches all of them."""
    own = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    count = min(10_000, own - 200)
    resource.setrlimit(resource.RLIMIT_NOFILE, (own, own))
    with Server("--memory") as server:
        before = server.memory()
        began = time.monotonic()
        clients = []
        for _ in range(count):
            client = server.connect()
            client.sendall(EVENTS)
            clients.append(client)
        for client in clients:
            data = b""
            while b"data: " not in data:
                data += client.recv(4096)
        opened = time.monotonic() - began
        after = server.memory()
        began = time.monotonic()
        assert server.ask("POST", "/v1/spaces/main/user/logIn", save("Ada"))[0] == 200
        for client in clients:
            data = b""
            while b'"Ada"' not in data:
                data += client.recv(4096)
        told = time.monotonic() - began
        code, seconds = server.end()
        assert code == 0 and seconds < 10, (code, seconds)
        return (f"{count} streams in {opened:.1f} s, {(after - before) * 1024 / count:.1f} KiB each; "
                f"a change reached all in {told:.2f} s; ended in {seconds:.1f} s")


def halves():
    """Three hundred incomplete requests do not delay other clients."""
    with Server("--memory") as server:
        clients = []
        for index in range(300):
            client = server.connect()
            client.sendall(request("POST", "/v1/spaces/main/user/logIn", save("x" * 50))[:20 + index % 100])
            clients.append(client)
        times = []
        for _ in range(200):
            began = time.monotonic()
            assert server.ask("GET", "/v1/spaces/main/user/title")[0] == 200
            times.append(time.monotonic() - began)
        late = 0
        for client in clients:
            late += client.recv(65536).startswith(b"HTTP/1.1 408 ")
        assert late == 300, late
        assert server.ask("GET", "/v1/spaces/main")[1].find(b'"version":0') > 0
        return (f"other clients answered in {sorted(times)[100] * 1000:.1f} ms (maximum {max(times) * 1000:.0f} ms); "
                "all 300 received 408")


def deaf():
    """Clients that never read use bounded memory: streams of views, streams of changes, and pipelined responses."""
    with Server("--memory", "--threads", "1") as server:
        before = server.memory()
        deaf_ones = []
        for index in range(100):
            client = server.connect(receive=4096)
            path = "/v1/spaces/main/changes" if index % 2 else "/v1/spaces/main/views"
            client.sendall(request("GET", path, None, "Accept: text/event-stream\r\n"))
            deaf_ones.append(client)
        flood = server.connect(receive=4096)
        flood.setblocking(False)
        sent = 0
        many = request("GET", "/v1") * 100
        actor = server.connect()
        for index in range(20_000):
            actor.sendall(request("POST", "/v1/spaces/main/user/save", save("x" * 80 + str(index))))
            assert actor.recv(4096).startswith(b"HTTP/1.1 200")
            if index % 20 == 0:
                try:
                    sent += flood.send(many)
                except (BlockingIOError, ConnectionError):
                    pass
        after = server.memory()
        metrics = server.ask("GET", "/metrics")[1].decode().split("\n")
        conflated = [line for line in metrics if line.startswith("headwater_frames_conflated_total")]
        assert after - before < 150, (before, after)
        return (f"100 unread streams and {sent // 1024} KiB of pipelined requests: {before} MB, then {after} MB after "
                f"20,000 commits; {conflated[0]}")


def descriptors():
    """Without free descriptors the server refuses clients, and serves again as soon as descriptors are free."""
    with Server("--memory", limits={resource.RLIMIT_NOFILE: 100}) as server:
        clients = []
        refused = 0
        for _ in range(150):
            client = server.connect()
            client.sendall(EVENTS)
            clients.append(client)
        for client in clients:
            client.settimeout(2)
            try:
                refused += b" 503 " in client.recv(4096)
            except (TimeoutError, ConnectionError):
                refused += 1
        for client in clients[:20]:
            client.close()
        began = time.monotonic()
        while True:
            try:
                if server.ask("GET", "/healthz")[0] == 200:
                    break
            except (OSError, IndexError):
                pass
            assert time.monotonic() - began < 5
        first = time.monotonic() - began
    # The same without connections as the cause: the limit is lowered while the server runs.
    with Server("--memory") as server:
        keep = [server.connect() for _ in range(20)]
        for client in keep:
            client.sendall(EVENTS)
            client.recv(4096)
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (20, 20_000))
        waiting = server.connect()
        waiting.sendall(request("GET", "/healthz"))
        used = os.times()
        with open(f"/proc/{server.process.pid}/stat") as stat:
            ticks = sum(map(int, stat.read().split()[13:15]))
        assert not select.select([waiting], [], [], 1)[0]
        with open(f"/proc/{server.process.pid}/stat") as stat:
            spent = sum(map(int, stat.read().split()[13:15])) - ticks
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (20_000, 20_000))
        began = time.monotonic()
        assert waiting.recv(4096).startswith(b"HTTP/1.1 200")
        second = time.monotonic() - began
        return (f"{refused} of 150 refused, served again {first * 1000:.0f} ms after some were closed; "
                f"with a lowered limit, {spent * 10} ms of processor time in a second of waiting, "
                f"served {second * 1000:.0f} ms after the limit was raised")


def end():
    """SIGTERM with a thousand streams and running actions: acknowledged commits are durable; exit status 0."""
    directory = tempfile.mkdtemp()
    try:
        with Server("--data", directory + "/data") as server:
            clients = [server.connect() for _ in range(1_000)]
            for client in clients:
                client.sendall(EVENTS)
            for client in clients:
                client.recv(4096)
            acknowledged = [0] * 8

            def act(index):
                actor = server.connect()
                try:
                    while True:
                        product = '{"productId": %d}' % random.randint(1, 3)
                        actor.sendall(request("POST", f"/v1/spaces/s{index}/cart/add", product))
                        if not actor.recv(4096).startswith(b"HTTP/1.1 200"):
                            return
                        acknowledged[index] += 1
                except OSError:
                    return

            threads = [threading.Thread(target=act, args=[index]) for index in range(8)]
            for thread in threads:
                thread.start()
            time.sleep(1)
            code, seconds = server.end()
            for thread in threads:
                thread.join()
            clean = 0
            ends = []
            for client in clients:
                data = b""
                while more := client.recv(4096):
                    data += more
                clean += data.endswith(b"0\r\n\r\n")
            assert code == 0 and seconds < 10, (code, seconds)
            assert clean == 1_000, clean
        with Server("--data", directory + "/data") as server:
            kept = [int(server.ask("GET", f"/v1/spaces/s{index}/cart/numberOfItems")[1]) for index in range(8)]
        assert all(k >= a for k, a in zip(kept, acknowledged)), (kept, acknowledged)
        return (f"{sum(acknowledged)} actions acknowledged, {sum(kept)} durable; 1,000 streams ended cleanly; "
                f"exit status 0 after {seconds:.1f} s")
    finally:
        shutil.rmtree(directory)


def full():
    """A full disk: 503 without data loss, and service resumes when there is space.

    Uses a small file system if it can be mounted, otherwise a file size limit.
    """
    directory = tempfile.mkdtemp()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "none", directory]
    mounted = subprocess.run(mount, stderr=subprocess.DEVNULL).returncode == 0
    try:
        ballast = directory + "/ballast"
        if mounted:
            with open(ballast, "wb") as file:
                file.write(b"x" * 1_000_000)
        limits = {} if mounted else {resource.RLIMIT_FSIZE: 1_000_000}
        with Server("--data", directory + "/data", limits=limits) as server:
            kept, failed = -1, None
            for index in range(100_000):
                code, content = server.ask("POST", "/v1/spaces/main/user/save", save("x" * 90 + str(index)))
                if code != 200:
                    failed = code
                    break
                kept = index
            assert failed == 503, failed
            assert server.ask("GET", "/v1/spaces/main/user/name")[1] == json.dumps("x" * 90 + str(kept)).encode()
            ready = server.ask("GET", "/readyz")[0]
            assert server.ask("GET", "/healthz")[0] == 200
            if mounted:
                os.remove(ballast)
            else:
                resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (-1, -1))
            again = server.ask("POST", "/v1/spaces/main/user/save", save("again"))[0]
            assert again == 200, again
            assert server.end()[0] == 0
        check = subprocess.run([PROGRAM, "check", directory + "/data"], stdout=subprocess.DEVNULL).returncode
        assert check == 0
        return (f"{'a small file system' if mounted else 'a limit'}: {kept + 1} commits, then 503 (readyz {ready}), "
                "then 200 again; journal intact")
    finally:
        if mounted:
            subprocess.run(["umount", directory])
        shutil.rmtree(directory)


def noise():
    """Random bytes and corrupted requests for a minute: the server stays alive."""
    seconds = float(os.environ.get("STRESS_NOISE_SECONDS", "60"))
    with Server("--memory") as server:
        pattern = request("POST", "/v1/spaces/main/user/logIn", "{}")
        until = time.monotonic() + seconds
        count = 0
        before = server.memory()
        while time.monotonic() < until:
            client = server.connect()
            data = bytearray(random.randbytes(random.randint(1, 2_000)) if count % 2 else pattern * 3)
            for _ in range(random.randint(1, 5)):
                data[random.randrange(len(data))] = random.choice(b"\0\r\n :;\x7f0")
            try:
                client.sendall(data)
                if count % 3:
                    client.shutdown(socket.SHUT_WR)
                    client.recv(65536)
            except OSError:
                pass
            client.close()
            count += 1
        assert server.ask("GET", "/healthz")[0] == 200
        return f"{count} connections in {seconds:.0f} s; {before} MB, then {server.memory()} MB; alive"


TRIALS = [streams, halves, deaf, descriptors, end, full, noise]
names = sys.argv[2:]
for unknown in set(names) - {trial.__name__ for trial in TRIALS}:
    sys.exit(f"unknown test: {unknown}; the tests are {', '.join(trial.__name__ for trial in TRIALS)}")
failures = 0
for trial in TRIALS:
    if names and trial.__name__ not in names:
        continue
    try:
        print(f"{trial.__name__}: {trial()}", flush=True)
    except (AssertionError, OSError) as problem:
        failures += 1
        print(f"{trial.__name__} FAILED: {problem!r}", flush=True)
sys.exit(1 if failures else 0)
