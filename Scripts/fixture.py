"""Makes the data directory of a released program, with every kind of content that the program knows, and writes down
what the program says of it.

fixture.py PROGRAM DIR makes DIR/journal.sqlite.gz and DIR/journal.sqlite-wal.gz, as a kill leaves them, and
DIR/expected.json: requests and the values that the program has answered. A program that does not know a kind of content
answers 404 or 405, and the fixture goes without it.
"""

import gzip
import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timedelta, timezone

DESK = {
    "feature": "desk",
    "home": "space",
    "state": {
        "cards": {
            "table": {
                "key": {"type": "string"},
                "row": {
                    "type": "object",
                    "properties": {
                        "text": {"type": "string"},
                        "due": {"type": ["string", "null"], "default": None},
                        "secret": {"type": "string", "private": True, "default": ""},
                    },
                    "required": ["text"],
                },
            },
            "initial": {"first": {"text": "from the document"}},
        },
        "topic": {"value": {"type": "string"}, "initial": "untitled"},
        "late": {"value": {"type": "integer"}, "initial": 0},
        "here": {
            "table": {
                "key": {"type": "string"},
                "row": {"type": "object", "properties": {"x": {"type": "number"}}},
            },
            "kept": False,
        },
    },
    "actions": {
        "put": {
            "input": {
                "type": "object",
                "properties": {
                    "id": {"type": "string"},
                    "text": {"type": "string"},
                    "due": {"type": ["string", "null"], "default": None},
                    "secret": {"type": "string", "private": True, "default": ""},
                },
                "required": ["id", "text"],
            },
            "do": [
                {
                    "put": "cards",
                    "key": "input.id",
                    "row": "{'text': input.text, 'due': input.due, 'secret': input.secret}",
                }
            ],
            "answer": "input.text",
        },
        "rename": {
            "input": {"type": "object", "properties": {"topic": {"type": "string"}}, "required": ["topic"]},
            "do": [{"set": "topic", "to": "input.topic"}],
        },
        "expire": {
            "input": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
            "do": [{"remove": "cards", "key": "input.id"}, {"set": "late", "to": "state.late + 1"}],
        },
    },
    "views": {
        "cards": {"from": "cards", "sort": ["key"], "select": "{'id': key, 'text': row.text}"},
        "secrets": {"from": "cards", "sort": ["key"], "select": "row.secret"},
        "topic": {"expression": "state.topic"},
        "late": {"expression": "state.late"},
        "puts": {
            "source": {
                "fold": {"over": {"changes": ["desk/put"]}, "initialValue": 0, "expression": "accumulated + 1"}
            }
        },
    },
    "schedules": {
        "due": {"for": "cards", "at": "row.due", "act": "expire", "input": "{'id': key}"},
    },
}

CLOCK = {
    "feature": "clock",
    "home": "space",
    "state": {"ticks": {"value": {"type": "integer"}, "initial": 0}, "wound": {"value": {"type": "boolean"}, "initial": False}},
    "actions": {
        "wind": {"do": [{"set": "wound", "to": "true"}]},
        "tick": {"allow": "false", "do": [{"set": "ticks", "to": "state.ticks + 1"}]},
    },
    "views": {"ticks": {"expression": "state.ticks"}, "wound": {"expression": "state.wound"}},
    "schedules": {"minute": {"every": 60, "act": "tick"}, "night": {"cron": "0 3 * * *", "act": "tick"}},
}

DIARY = {
    "feature": "diary",
    "home": "space",
    "state": {"last": {"value": {"type": "string"}, "initial": ""}},
    "actions": {
        "write": {
            "input": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
            "do": [{"set": "last", "to": "input.text"}],
        }
    },
    "views": {
        "last": {"expression": "state.last"},
        "all": {
            "source": {
                "fold": {
                    "over": {"changes": ["diary/write"]},
                    "initialValue": "",
                    "expression": "accumulated + change.input.text + ' '",
                }
            }
        },
        "distinct": {"source": {"view": "diary.last"}, "operators": [{"scan": {"initialValue": 0, "expression": "accumulated + 1"}}]},
    },
}

# One that remembers, and ones that only stand in the state.
STREAMS = {
    "big": {"name": "Big totals", "source": {"view": "cart.totalPrice"}, "operators": [{"filter": {"expression": "double(value) > 5.0"}}]},
    "count": {
        "name": "How often the number of items changed",
        "source": {"view": "cart.numberOfItems"},
        "operators": [{"scan": {"initialValue": 0, "expression": "accumulated + 1"}}],
    },
    "steps": {"stream": [{"value": 1, "operators": [{"delay": {"seconds": 1}}]}, {"value": "two"}]},
}


class Server:
    def __init__(self, program, directory, *options):
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [program, "--port", "0", "--data", directory, "--history", "60", *options],
            stdout=subprocess.PIPE, stderr=self.log, text=True,
        )
        line = self.process.stdout.readline()
        if not line:
            self.log.seek(0)
            raise SystemExit(f"{program} does not listen: {self.log.read().decode()}")
        self.port = int(line.strip().rsplit(":", 1)[1])
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def ask(self, method, path, body=None, **fields):
        headers = {name.replace("_", "-"): value for name, value in fields.items()}
        text = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            text = json.dumps(body)
        self.connection.request(method, path, text, headers)
        response = self.connection.getresponse()
        content = response.read()
        return response.status, json.loads(content) if content[:1] in (b"{", b"[", b'"') or content[:1].isdigit() or content in (b"true", b"false", b"null") else content.decode()

    def do(self, method, path, body=None, **fields):
        """Makes a request that must succeed. Returns False if the program does not know what it is about."""
        status, answer = self.ask(method, path, body, **fields)
        if status in (404, 405):
            return False
        if status >= 300:
            raise SystemExit(f"{method} {path}: {status} {answer}")
        return True

    def end(self, number):
        self.process.send_signal(number)
        self.process.wait()


def options(program, port):
    """The options that let hooks deliver to a port, if the program has hooks."""
    text = subprocess.run([program, "help", "serve"], capture_output=True, text=True, check=True).stdout
    return ["--outgoing-allow", f"127.0.0.1:{port}"] if "--outgoing-allow" in text else []


def fill(server):
    for number in range(1, 6):
        server.do("POST", "/v1/spaces/common/catalog/put", {"id": number, "name": f"Product {number}", "price": number * 1.5})
    server.do("POST", "/v1/spaces/common/catalog/remove", {"id": 5})
    server.do("POST", "/v1/spaces/common/catalog/setDiscount", {"rate": 0.25})
    server.do("POST", "/v1/spaces/shop/user/save", {"name": "Zoë 🎸"})
    server.do("POST", "/v1/spaces/shop/user/logIn", {"name": "Zoë 🎸"})
    for name, definition in STREAMS.items():
        server.do("PUT", f"/v1/spaces/shop/streams/{name}", definition)
    server.do("DELETE", "/v1/spaces/shop/streams/zip")
    server.do("PUT", "/v1/features/desk", DESK)
    server.do("PUT", "/v1/features/clock", CLOCK)
    server.do("PUT", "/v1/features/diary", DIARY)
    for text in ("Monday", "Tuesday", "Tuesday"):
        server.do("POST", "/v1/spaces/diary/diary/write", {"text": text})
    server.do("PUT", "/v1/spaces/shop/hooks/orders", {
        "source": {"changes": ["cart/*"]}, "url": "http://127.0.0.1:9/hooks", "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    })
    # More commits than the history keeps: the next load makes a snapshot and drops the oldest.
    for number in range(160):
        server.do("POST", "/v1/spaces/long/cart/add", {"productId": 1 + number % 4, "quantity": 1 + number % 3}, Idempotency_Key=f"long-{number}")
    server.do("POST", "/v1/spaces/gone/cart/add", {"productId": 1})
    server.do("DELETE", "/v1/spaces/gone")


def act(server):
    for number in (1, 2, 2, 3):
        server.do("POST", "/v1/spaces/shop/cart/add", {"productId": number, "quantity": number}, Idempotency_Key=f"shop-{number}")
    server.do("POST", "/v1/spaces/shop/cart/decrement", {"productId": 3})
    server.do("POST", "/v1/spaces/shop/luthier/select", {"shape": "longV", "color": "dusk"})
    server.do("POST", "/v1/spaces/long/cart/decrement", {"productId": 1})
    server.do("POST", "/v1/spaces/desk/desk/rename", {"topic": "Fixtures"})
    server.do("POST", "/v1/spaces/desk/desk/put", {"id": "a", "text": "a card", "secret": "a secret"})
    server.do("POST", "/v1/spaces/desk/desk/put", {"id": "b", "text": "in 2100", "due": "2100-01-01T00:00:00Z"})
    server.do("POST", "/v1/spaces/clock/clock/wind", {})
    server.do("POST", "/v1/spaces/diary/diary/write", {"text": "Friday"})


READS = [
    "/v1/spaces/common/catalog/products", "/v1/spaces/common/catalog/discountRate",
    "/v1/spaces/shop/cart/orders", "/v1/spaces/shop/cart/numberOfItems", "/v1/spaces/shop/cart/totalPrice",
    "/v1/spaces/shop/user/name", "/v1/spaces/shop/user/isLoggedIn", "/v1/spaces/shop/luthier/guitar",
    "/v1/spaces/shop/luthier/totalPrice", "/v1/spaces/shop/streams", "/v1/spaces/shop/streams/big",
    "/v1/spaces/shop/streams/count/value", "/v1/spaces/shop/streams/big/value", "/v1/spaces/shop/streams/count/history",
    "/v1/spaces/shop/changes?since=0", "/v1/spaces/shop/hooks", "/v1/spaces/long/cart/orders",
    "/v1/spaces/long/cart/numberOfItems", "/v1/spaces/long/cart/numberOfItems?at=110",
    "/v1/spaces/long/cart/numberOfItems?at=159", "/v1/spaces/long/cart/numberOfItems/history?since=150",
    "/v1/spaces/long/changes?since=120", "/v1/spaces/desk/desk/cards", "/v1/spaces/desk/desk/secrets",
    "/v1/spaces/desk/desk/topic", "/v1/spaces/diary/diary/all",
    "/v1/spaces/diary/diary/distinct", "/v1/spaces/diary/diary/distinct/history", "/v1/spaces/desk/changes?since=0",
    "/v1/spaces/clock/clock/wound", "/v1/features/desk", "/v1/features/clock", "/v1/spaces/gone/cart/numberOfItems",
    "/v1/spaces?limit=100",
]


def lasting(path, value):
    """A value without the members that change while a server runs."""
    if path.endswith("/hooks"):
        return {"hooks": [{name: hook[name] for name in ("id", "source", "url")} for hook in value["hooks"]]}
    if path.startswith("/v1/spaces?"):
        return {"spaces": [{"name": space["name"]} for space in value["spaces"]]}
    return value


def main(program, target):
    work = tempfile.mkdtemp(prefix="headwater-fixture-")
    directory = os.path.join(work, "data")
    try:
        allowed = options(program, 9)
        server = Server(program, directory, *allowed)
        fill(server)
        server.end(signal.SIGTERM)
        server = Server(program, directory, *allowed)
        server.ask("GET", "/v1/spaces/long/cart/orders")
        # The snapshot that this load asks for.
        time.sleep(1)
        act(server)
        # A time that comes while no server runs.
        due = datetime.now(timezone.utc) + timedelta(seconds=5)
        card = {"id": "z", "text": "due soon", "due": due.strftime("%Y-%m-%dT%H:%M:%SZ")}
        server.do("POST", "/v1/spaces/late/desk/put", card)
        expected = []
        # A program before the past ignores `at`, and its streams begin anew with each server.
        has_past = server.ask("GET", "/v1/spaces/long/cart/numberOfItems/history")[0] == 200
        for path in READS:
            if not has_past and ("?at=" in path or path.endswith("/value")):
                continue
            status, value = server.ask("GET", path)
            if status == 200:
                expected.append({"path": path, "value": lasting(path, value)})
        server.end(signal.SIGKILL)
        os.makedirs(target, exist_ok=True)
        for name in ("journal.sqlite", "journal.sqlite-wal"):
            with open(os.path.join(directory, name), "rb") as source:
                content = source.read()
            with open(os.path.join(target, name + ".gz"), "wb") as file:
                # Without a time, so that the same content is the same file.
                with gzip.GzipFile("", "wb", 9, file, 0) as zipped:
                    zipped.write(content)
        with open(os.path.join(target, "expected.json"), "w", encoding="utf-8") as file:
            for line in ["[", *(json.dumps(one, ensure_ascii=False) + ("," if one is not expected[-1] else "") for one in expected), "]"]:
                file.write(line + "\n")
        print(f"{len(expected)} of {len(READS)} values in {target}")
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1].startswith("-"):
        raise SystemExit("usage: fixture.py PROGRAM DIR")
    main(sys.argv[1], sys.argv[2])
