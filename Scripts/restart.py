"""The restarts of Scripts/restart, with Python's standard library only."""

import argparse
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

DOCUMENT = {
    "feature": "tally", "home": "space",
    "state": {"count": {"value": {"type": "integer"}, "initial": 0}},
    "actions": {"add": {"do": [{"set": "count", "to": "state.count + 1"}]}},
    "views": {"count": {"expression": "state.count"}},
}
INHERITED = 3


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Supervisor:
    """A server on a listening socket that this process holds."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(4096)
        self.port = self.listener.getsockname()[1]
        self.process = None

    def start(self):
        environment = {**os.environ, "LISTEN_FDS": "1"}
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", 'LISTEN_PID=$$ exec "$0" "$@"', self.program, "serve", "--data", f"{self.folder}/data"],
            env=environment, pass_fds=(INHERITED,), stdout=subprocess.DEVNULL,
            preexec_fn=lambda: os.dup2(self.listener.fileno(), INHERITED))

    def end(self):
        """Ends the server. Returns its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=15)


def start_nginx(folder, server_port, port):
    """Starts nginx with the configuration of the document."""
    text = pathlib.Path("docs/deploy.md").read_text(encoding="utf-8")
    configuration = re.search(r"```nginx\n(.*?)```", text, re.DOTALL).group(1)
    configuration = re.sub(r"^\s*(ssl_|access_log).*\n", "", configuration, flags=re.MULTILINE)
    configuration = configuration.replace("127.0.0.1:8080", f"127.0.0.1:{server_port}")
    configuration = configuration.replace("listen 443 ssl http2", f"listen 127.0.0.1:{port}")
    paths = "\n".join(f"    {kind}_temp_path {folder}/{kind};"
                      for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    pathlib.Path(f"{folder}/nginx.conf").write_text(
        f"daemon off;\npid {folder}/nginx.pid;\nerror_log {folder}/error.log;\nevents {{}}\n"
        f"http {{\n    access_log off;\n{paths}\n{configuration}}}\n", encoding="utf-8")
    return subprocess.Popen(["nginx", "-c", f"{folder}/nginx.conf", "-e", f"{folder}/error.log"])


def ask(connection, method, path, body=None):
    fields = {"Content-Type": "application/json"} if body is not None else {}
    connection.request(method, path, body, fields)
    answer = connection.getresponse()
    return answer.status, answer.read()


class Client(threading.Thread):
    """A client that acts and reads, one request after the other, on a connection that it keeps."""

    def __init__(self, port, stop):
        super().__init__(daemon=True)
        self.port, self.stop = port, stop
        self.added, self.requests, self.lost, self.longest = 0, 0, [], 0.0

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        while not self.stop.is_set():
            for method, path, body in (("POST", "/v1/spaces/main/tally/add", "{}"),
                                       ("GET", "/v1/spaces/main/tally/count", None)):
                begin = time.monotonic()
                self.requests += 1
                try:
                    status, content = ask(connection, method, path, body)
                    if status != 200:
                        self.lost.append(f"{method}: {status} {content[:200]!r}")
                    elif method == "POST":
                        self.added += 1
                except (OSError, http.client.HTTPException) as error:
                    self.lost.append(f"{method}: {error!r}")
                    connection.close()
                self.longest = max(self.longest, time.monotonic() - begin)


def until_ready(port):
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            if ask(connection, "GET", "/readyz")[0] == 200:
                return
        except OSError:
            pass
        time.sleep(0.1)
    sys.exit("restart: the server behind nginx is not ready within 30 s")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--restarts", type=int, default=3)
    parser.add_argument("--clients", type=int, default=8)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="headwater-restart-")
    supervisor = Supervisor(os.path.abspath(options.program), folder)
    port = free_port()
    supervisor.start()
    nginx = start_nginx(folder, supervisor.port, port)
    try:
        until_ready(port)
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        status, content = ask(connection, "PUT", "/v1/features/tally", json.dumps(DOCUMENT))
        if status not in (200, 201):
            sys.exit(f"restart: the document is refused: {content!r}")
        stop = threading.Event()
        clients = [Client(port, stop) for _ in range(options.clients)]
        for client in clients:
            client.start()
        for number in range(options.restarts):
            time.sleep(2)
            begin = time.monotonic()
            ended = supervisor.end()
            between = time.monotonic()
            supervisor.start()
            until_ready(supervisor.port)
            print(f"restart {number + 1}: exit {ended}, {between - begin:.1f} s to end, "
                  f"{time.monotonic() - between:.2f} s until ready")
        time.sleep(1)
        stop.set()
        for client in clients:
            client.join(timeout=30)
        count = int(ask(connection, "GET", "/v1/spaces/main/tally/count")[1])
        added, lost = sum(client.added for client in clients), [one for client in clients for one in client.lost]
        print(f"{sum(client.requests for client in clients)} requests, {len(lost)} lost, the longest took "
              f"{max(client.longest for client in clients):.2f} s; {added} actions answered, {count} stored")
        for one in lost[:10]:
            print(one)
        return 1 if lost or added != count else 0
    finally:
        nginx.terminate()
        nginx.wait(timeout=10)
        if supervisor.process.poll() is None:
            supervisor.process.kill()
            supervisor.process.wait(timeout=10)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
