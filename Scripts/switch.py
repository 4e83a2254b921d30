"""A switch of network frames in a process: its ports are taps, and each way through a port can lose, delay and reorder."""

import fcntl
import heapq
import os
import random
import select
import struct
import threading
import time

TUNSETIFF = 0x400454CA
IFF_TAP, IFF_NO_PI = 0x0002, 0x1000
BROADCAST = 1  # The bit in the first byte of an address that means several receivers.


class Way:
    """What happens to the frames that go one way through a port. Times are in seconds, and the others are chances."""

    def __init__(self, loss=0.0, delay=0.0, jitter=0.0, reorder=0.0):
        self.loss, self.delay, self.jitter, self.reorder = loss, delay, jitter, reorder
        self.is_plain = not (loss or delay or jitter or reorder)


class Switch(threading.Thread):
    """Forwards frames between its ports until `end`."""

    def __init__(self, count, seed):
        super().__init__(daemon=True)
        self.chance = random.Random(seed)
        self.files, self.names = [], []
        for _ in range(count):
            file = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
            made = fcntl.ioctl(file, TUNSETIFF, struct.pack("16sH22x", b"hwn-tap%d", IFF_TAP | IFF_NO_PI))
            self.files.append(file)
            self.names.append(made[:16].rstrip(b"\0").decode())
        # From the port into the switch, and from the switch into the port.
        self.sent = [Way() for _ in range(count)]
        self.received = [Way() for _ in range(count)]
        self.addresses = {}
        self.waiting = []
        self.number = 0
        self.is_open = True

    def run(self):
        poll = select.epoll()
        for file in self.files:
            poll.register(file, select.EPOLLIN)
        ports = {file: port for port, file in enumerate(self.files)}
        while self.is_open:
            now = time.monotonic()
            timeout = 0.2 if not self.waiting else max(0.0, min(0.2, self.waiting[0][0] - now))
            for file, _ in poll.poll(timeout):
                self.drain(ports[file])
            now = time.monotonic()
            while self.waiting and self.waiting[0][0] <= now:
                _, _, port, frame = heapq.heappop(self.waiting)
                self.write(port, frame)
        poll.close()
        for file in self.files:
            os.close(file)

    def drain(self, port):
        for _ in range(64):
            try:
                frame = os.read(self.files[port], 65_536)
            except OSError:
                return
            self.addresses[frame[6:12]] = port
            target = None if frame[0] & BROADCAST else self.addresses.get(frame[:6])
            if target is not None:
                self.forward(port, target, frame)
                continue
            for other in range(len(self.files)):
                if other != port:
                    self.forward(port, other, frame)

    def forward(self, port, target, frame):
        ways = [way for way in (self.sent[port], self.received[target]) if not way.is_plain]
        if not ways:
            return self.write(target, frame)
        delay = 0.0
        for way in ways:
            if way.loss and self.chance.random() < way.loss:
                return
            if not way.reorder or self.chance.random() >= way.reorder:
                delay += max(0.0, way.delay + way.jitter * self.chance.uniform(-1, 1))
        if not delay:
            return self.write(target, frame)
        self.number += 1
        heapq.heappush(self.waiting, (time.monotonic() + delay, self.number, target, frame))

    def write(self, port, frame):
        try:
            os.write(self.files[port], frame)
        except OSError:
            pass  # The interface is down or its queue is full: the frame is lost.

    def end(self):
        self.is_open = False
        self.join(5)
