"""A proxy that is a bad network: latency, refused and reset connections, half-open ones, silence, buffering."""

import asyncio
import random
import socket
import struct
import threading

CHUNK_BYTES = 4_096
PARTS_LIMIT = 1_024


class BadNetwork:
    """Forwards connections to a port of this machine. `rough` makes it fail by a seed, `calm` lets everything through."""

    def __init__(self, target):
        self.target = target
        self.random = random.Random(0)
        self.is_rough = False
        # The longest time in seconds for which bytes are held back, and that a connection is half open.
        self.latency, self.silence = 0.0, 2.0
        self.bytes = {"up": 0, "down": 0}
        self.connections = 0
        self.faults = dict.fromkeys(["refused", "black hole", "reset", "half open", "silence", "buffered"], 0)
        self.writers = set()
        self.loop = asyncio.new_event_loop()
        self.calmed = None
        started = threading.Event()
        self.thread = threading.Thread(target=self.run, args=[started], daemon=True)
        self.thread.start()
        started.wait()

    def run(self, started):
        async def serve():
            self.calmed = asyncio.Event()
            self.calmed.set()
            self.server = await asyncio.start_server(self.take, "127.0.0.1", 0)
            self.port = self.server.sockets[0].getsockname()[1]
            self.url = f"http://127.0.0.1:{self.port}"
            started.set()
        self.loop.create_task(serve())
        self.loop.run_forever()

    def call(self, work):
        done = threading.Event()
        self.loop.call_soon_threadsafe(lambda: (work(), done.set()))
        done.wait()

    def rough(self, seed):
        def begin():
            self.random, self.is_rough = random.Random(seed), True
            self.latency = self.random.choice([0.001, 0.02, 0.1])
            self.calmed.clear()
        self.call(begin)

    def calm(self):
        """Ends the faults. Connections that are half open end, as after the time of a keep-alive of TCP."""
        def end():
            self.is_rough = False
            self.calmed.set()
        self.call(end)

    def cut(self):
        """Resets all connections."""
        self.call(lambda: [self.reset(writer) for writer in list(self.writers)])

    def leave(self):
        """Cuts the network: connections are reset, and new ones are refused."""
        def end():
            self.server.close()
            for writer in list(self.writers):
                self.reset(writer)
        self.call(end)

    def back(self):
        """Listens again, at the same port."""
        done = threading.Event()

        async def serve():
            self.server = await asyncio.start_server(self.take, "127.0.0.1", self.port)
            done.set()
        self.loop.call_soon_threadsafe(lambda: self.loop.create_task(serve()))
        done.wait()

    def close(self):
        async def end():
            self.server.close()
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)
            self.loop.stop()
        self.loop.call_soon_threadsafe(lambda: self.loop.create_task(end()))
        self.thread.join()

    def reset(self, writer):
        connection = writer.get_extra_info("socket")
        if connection is not None and not writer.is_closing():
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()

    def happens(self, fault, share):
        if not self.is_rough or self.random.random() >= share:
            return False
        self.faults[fault] += 1
        return True

    async def quiet(self, seconds):
        """Waits for a time, or until the network is calm."""
        try:
            await asyncio.wait_for(self.calmed.wait(), seconds)
        except TimeoutError:
            pass

    async def take(self, reader, writer):
        self.connections += 1
        self.writers.add(writer)
        own = [writer]
        try:
            if self.happens("refused", 0.1):
                return
            if self.happens("black hole", 0.05):
                return await self.quiet(self.random.uniform(0, self.silence))
            try:
                from_server, to_server = await asyncio.open_connection("127.0.0.1", self.target)
            except OSError:
                return
            own.append(to_server)
            self.writers.add(to_server)
            ways = [self.pipe(reader, to_server, "up"), self.pipe(from_server, writer, "down")]
            tasks = [asyncio.ensure_future(way) for way in ways]
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                task.cancel()
        except asyncio.CancelledError:
            # By `close`. asyncio's own callback would print it as an error.
            return
        finally:
            for one in own:
                self.writers.discard(one)
                self.reset(one)

    async def pipe(self, reader, writer, way):
        """Forwards bytes one way. Each part is on its way for the latency, and others follow it meanwhile."""
        parts = asyncio.Queue(PARTS_LIMIT)

        async def take():
            while True:
                try:
                    part = await reader.read(CHUNK_BYTES)
                except OSError:
                    part = b""
                delay = self.random.uniform(self.latency / 2, self.latency) if self.is_rough else self.latency
                await parts.put((self.loop.time() + delay, part))
                if not part:
                    return

        taking = asyncio.ensure_future(take())
        try:
            while True:
                due, part = await parts.get()
                await asyncio.sleep(max(0, due - self.loop.time()))
                if not part or self.happens("reset", 0.04):
                    return
                if self.happens("half open", 0.02):
                    return await self.quiet(self.random.uniform(0, self.silence))
                if self.happens("silence", 0.03):
                    await self.quiet(self.random.uniform(0, self.silence))
                if self.happens("buffered", 0.05):
                    await self.quiet(self.random.uniform(0, 0.5))
                # A part of a message arrives before the rest.
                cut = self.random.randrange(len(part)) if self.is_rough else 0
                for piece in (part[:cut], part[cut:]):
                    if piece:
                        self.bytes[way] += len(piece)
                        try:
                            writer.write(piece)
                            await writer.drain()
                        except OSError:
                            return
        finally:
            taking.cancel()
