"""A client of nats-server with nothing between: what it measures is the servers' own."""

import json
import socket
import time


class BareClient:
    """One connection. It sends and receives on the calling thread."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.room = b""
        self.line()
        self.socket.sendall(b'CONNECT {"verbose":false,"headers":true,"no_responders":true}\r\nPING\r\n')
        while self.line() != b"PONG":
            pass
        self.inbox = f"_INBOX.{time.monotonic_ns()}"
        self.subscribe(f"{self.inbox}.*", 1)

    def close(self):
        self.socket.close()

    def subscribe(self, subject, number):
        self.socket.sendall(f"SUB {subject} {number}\r\nPING\r\n".encode())
        while self.line() != b"PONG":
            pass

    def line(self):
        while (end := self.room.find(b"\r\n")) < 0:
            self.more()
        line, self.room = self.room[:end], self.room[end + 2:]
        return line

    def more(self):
        got = self.socket.recv(1 << 20)
        if not got:
            raise ConnectionError("the server has closed the connection")
        self.room += got

    def take(self, count):
        while len(self.room) < count:
            self.more()
        taken, self.room = self.room[:count], self.room[count:]
        return taken

    def message(self):
        """Returns subject, reply and content of the next message."""
        while True:
            parts = self.line().split()
            if parts[0] == b"PING":
                self.socket.sendall(b"PONG\r\n")
            elif parts[0] == b"MSG":
                content = self.take(int(parts[-1]) + 2)[:-2]
                return parts[1].decode(), parts[3].decode() if len(parts) == 5 else "", content
            elif parts[0] == b"HMSG":
                heads, whole = int(parts[-2]), int(parts[-1])
                content = self.take(whole + 2)[:-2]
                return parts[1].decode(), parts[3].decode() if len(parts) == 6 else "", content[heads:]

    def publish(self, subject, content, reply="", last=None):
        if last is None:
            self.socket.sendall(f"PUB {subject} {reply} {len(content)}\r\n".encode() + content + b"\r\n")
            return
        head = f"NATS/1.0\r\nNats-Expected-Last-Sequence: {last}\r\n\r\n".encode()
        self.socket.sendall(
            f"HPUB {subject} {reply} {len(head)} {len(head) + len(content)}\r\n".encode() + head + content + b"\r\n")

    def ask(self, subject, content=b""):
        self.publish(subject, content, f"{self.inbox}.0")
        return self.message()[2]

    def api(self, name, body=None):
        """Asks JetStream, again while it has no leader."""
        for _ in range(100):
            answer = self.ask(f"$JS.API.{name}", json.dumps(body).encode() if body is not None else b"")
            if answer and "error" not in (found := json.loads(answer)):
                return found
            time.sleep(0.2)
        raise RuntimeError(f"JetStream does not do {name}: {answer.decode()}")

    def make_stream(self, name, subject):
        self.api(f"STREAM.CREATE.{name}", {"name": name, "subjects": [subject], "num_replicas": 3, "storage": "file",
                                           "retention": "limits", "discard": "old"})

    def latencies(self, subject, size, count):
        """Appends one message after another, each conditional on the one before. Returns the seconds of each."""
        content, times = bytes(size), []
        for number in range(count):
            begin = time.perf_counter()
            self.publish(subject, content, f"{self.inbox}.0", number)
            answer = json.loads(self.message()[2])
            times.append(time.perf_counter() - begin)
            if "error" in answer:
                raise RuntimeError(f"an append fails: {answer}")
        return times

    def rate(self, subjects, size, seconds):
        """Appends to several streams with one message under way in each. Returns the messages a second."""
        content, lasts, count = bytes(size), [0] * len(subjects), 0
        begin = time.perf_counter()
        for lane, subject in enumerate(subjects):
            self.publish(subject, content, f"{self.inbox}.{lane}", 0)
        while (now := time.perf_counter()) < begin + seconds:
            subject, _, answer = self.message()
            if "error" in json.loads(answer):
                raise RuntimeError(f"an append fails: {answer.decode()}")
            lane = int(subject.rsplit(".", 1)[1])
            lasts[lane] += 1
            count += 1
            self.publish(subjects[lane], content, f"{self.inbox}.{lane}", lasts[lane])
        for _ in subjects:
            self.message()
        return count / (now - begin)

    def consume(self, stream, count):
        """Reads a stream from its beginning. Returns the bytes a second."""
        subject = f"{self.inbox}x"
        self.subscribe(subject, 2)
        begin, size = time.perf_counter(), 0
        self.publish(f"$JS.API.CONSUMER.CREATE.{stream}", json.dumps({"stream_name": stream, "config": {
            "deliver_subject": subject, "ack_policy": "none", "deliver_policy": "all"}}).encode(), f"{self.inbox}.0")
        while count:
            found, _, content = self.message()
            # A message comes under the subject that it was stored by; the other one is the answer of JetStream.
            if found != f"{self.inbox}.0":
                size, count = size + len(content), count - 1
        return size / (time.perf_counter() - begin)


def echo(port, subject):
    """Answers each message of a subject with its content, without end."""
    client = BareClient(port)
    client.subscribe(subject, 2)
    try:
        while True:
            _, reply, content = client.message()
            client.publish(reply, content)
    except (OSError, ConnectionError):
        pass
