"""Real clients against the real server: see Scripts/clients.

Each follows the number of items in a cart while somebody adds to it. The server is killed twice and started again on the same data; what was added
while the client was away has to come to it, and no value may come twice in a row or go back.
"""

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

SPACE = "/v1/spaces/main"
VIEW = SPACE + "/cart/numberOfItems"
PATIENCE = 40


class Server:
    """The server, which a test can kill and restart on the same port."""

    def __init__(self, program):
        self.program = program
        self.data = tempfile.TemporaryDirectory()
        self.port = "0"
        self.start()

    def start(self):
        command = [self.program, "--port", self.port, "--data", self.data.name, "--log-level", "error"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if "listening on" not in line:
            sys.exit(f"the server did not start: {line}")
        self.address = line.split()[-1]
        self.port = self.address.rsplit(":", 1)[1]

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def end(self):
        self.process.terminate()
        if self.process.wait(timeout=15) != 0:
            sys.exit(f"the server ended with {self.process.returncode}")
        self.data.cleanup()

    def resumes(self):
        """Returns the number of resumed streams."""
        with urllib.request.urlopen(self.address + "/metrics", timeout=10) as answer:
            lines = answer.read().decode().splitlines()
        return sum(float(line.split()[-1]) for line in lines if line.startswith("headwater_resumes_total{"))

    def add(self, quantity=1):
        body = json.dumps({"productId": 1, "quantity": quantity}).encode()
        request = urllib.request.Request(
            self.address + SPACE + "/cart/add", body, {"Content-Type": "application/json", "Idempotency-Key": os.urandom(8).hex()}
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)


def scenario(server, follow, kills=2):
    """Starts a client, performs actions, kills the server, and checks the client's values."""
    seen = queue.Queue()
    stop = threading.Event()
    thread = threading.Thread(target=follow, args=(server, seen, stop), daemon=True)
    thread.start()
    values = []
    expected = 0

    def wait_for(last):
        deadline = time.monotonic() + PATIENCE
        while not values or values[-1] != last:
            try:
                values.append(seen.get(timeout=max(0.01, deadline - time.monotonic())))
            except queue.Empty:
                sys.exit(f"the client was to see {last} in the end, but saw {values}")

    wait_for(0)
    for _ in range(kills):
        for _ in range(5):
            server.add()
            expected += 1
        wait_for(expected)
        server.kill()
        server.start()
        # The client must see the value even if it reconnects later.
        server.add(2)
        expected += 2
        wait_for(expected)
        if server.resumes() < 1:
            sys.exit("the client came back without the id of the last event")
    # One more event wakes a client that waits for one, so that it ends.
    stop.set()
    server.add()
    thread.join(timeout=15)
    if values != sorted(values):
        sys.exit(f"values went back: {values}")
    if len(set(values)) != len(values):
        sys.exit(f"a value came twice although the client had it: {values}")
    print("saw", *values, "and came back each time with the last id")


def curl(server, seen, stop):
    """A client in a shell: it parses the lines and reconnects with the last id."""
    last = None
    while not stop.is_set():
        command = ["curl", "--silent", "--no-buffer", "--header", "Accept: text/event-stream", server.address + VIEW]
        if last is not None:
            command += ["--header", f"Last-Event-ID: {last}"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        for line in process.stdout:
            if line.startswith("id: "):
                last = line[4:].strip()
            elif line.startswith("data: "):
                seen.put(json.loads(line[6:]))
            if stop.is_set():
                process.kill()
        process.wait()
        time.sleep(0.1)


def httpx_sse(server, seen, stop):
    import httpx
    from httpx_sse import connect_sse

    last, pause = None, 0.2
    while not stop.is_set():
        try:
            with httpx.Client(timeout=httpx.Timeout(10, read=None)) as client:
                headers = {"Last-Event-ID": last} if last else {}
                with connect_sse(client, "GET", server.address + VIEW, headers=headers) as source:
                    for event in source.iter_sse():
                        last, pause = event.id or last, (event.retry or 200) / 1000
                        if event.data:
                            seen.put(event.json())
                        if stop.is_set():
                            return
        except httpx.HTTPError:
            pass
        time.sleep(min(pause, 0.2))


def sseclient_py(server, seen, stop):
    import requests
    import sseclient

    last = None
    while not stop.is_set():
        headers = {"Accept": "text/event-stream"} | ({"Last-Event-ID": last} if last else {})
        try:
            with requests.get(server.address + VIEW, headers=headers, stream=True, timeout=(10, None)) as answer:
                for event in sseclient.SSEClient(answer).events():
                    last = event.id or last
                    if event.data:
                        seen.put(json.loads(event.data))
                    if stop.is_set():
                        return
        except requests.RequestException:
            pass
        time.sleep(0.1)


def browser(server, seen, stop):
    """EventSource in Chromium: it reconnects by itself with its last id."""
    from playwright.sync_api import sync_playwright

    program = next((path for path in ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome") if os.path.exists(path)), None)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = chromium.new_page()
        page.expose_function("seen", lambda data: seen.put(json.loads(data)))
        # Any page of the server has the right origin.
        page.goto(server.address + "/healthz")
        page.evaluate(
            """path => { window.source = new EventSource(path); window.source.onmessage = event => window.seen(event.data) }""", VIEW
        )
        while not stop.is_set():
            page.wait_for_timeout(50)
        chromium.close()


def main():
    clients = {"curl": curl, "httpx-sse": httpx_sse, "sseclient-py": sseclient_py, "browser": browser}
    name, program = sys.argv[1:]
    if name == "browser" and not any(os.path.exists(f"/usr/bin/{path}") for path in ("chromium", "chromium-browser", "google-chrome")):
        print("skipped: there is no chromium: apt-get install chromium")
        return
    server = Server(program)
    try:
        scenario(server, clients[name])
    finally:
        if server.process.poll() is None:
            server.end()


main()
