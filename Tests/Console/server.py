"""A server process that a test can kill and restart on the same port."""

import json
import os
import signal
import subprocess
import time
import urllib.request

PATIENCE_SECONDS = 20


class Server:
    def __init__(self, program, data=None, environment=None, arguments=()):
        self.program = program
        self.data = data
        self.environment = environment or {}
        self.arguments = list(arguments)
        self.port = 0
        self.process = None
        self.start()

    def start(self):
        place = ["--data", str(self.data)] if self.data else ["--memory"]
        self.process = subprocess.Popen(
            [self.program, "--port", str(self.port), "--log-level", "error", *place, *self.arguments],
            stdout=subprocess.PIPE, text=True, env={**os.environ, **self.environment})
        line = self.process.stdout.readline()
        assert "listening on" in line, f"the server said {line!r}"
        self.url = line.split()[-1]
        self.port = int(self.url.rsplit(":", 1)[1])

    def kill(self):
        """Kills the process."""
        code = self.process.poll()
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(PATIENCE_SECONDS)
        assert code is None, f"the server had ended by itself, with code {code}"
        self.process.stdout.close()

    def get(self, path, token=None):
        request = urllib.request.Request(self.url + path)
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
            return json.load(answer)

    def head(self, path):
        with urllib.request.urlopen(self.url + path, timeout=PATIENCE_SECONDS) as answer:
            return answer.headers, answer.read()

    def act(self, action, body=None, space="main", token=None):
        request = urllib.request.Request(
            f"{self.url}/v1/spaces/{space}/{action}", data=json.dumps(body or {}).encode(), headers={"Content-Type": "application/json"})
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
            return json.load(answer)

    def figure(self, name, token=None):
        """Returns a metric."""
        request = urllib.request.Request(self.url + "/metrics")
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
            return sum(float(line.split()[-1]) for line in answer.read().decode().splitlines() if line.split("{")[0].split(" ")[0] == name)


def eventually(is_so):
    """Polls until the condition holds, where there is no event to wait for."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if is_so():
            return True
    return False
