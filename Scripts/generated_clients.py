"""Clients generated from openapi.yaml against the real server: see Scripts/clients.

Each generated client logs in, reads views, acts, keeps and reads back and removes a stream of each form of a source and of each operator, tries a stream, reads
changes, and is refused. A definition has to come back as the very JSON that was sent.
"""

import importlib
import json
import subprocess
import sys

SPACE = "generated"
SQUARE = {"expression": "value * value"}
HALF = {"seconds": 0.5}
INNER = {"source": {"stream": [{"value": 1}]}}

# Each storable form of a source. The form `input` is for trials only.
SOURCES = {
    "stream": {"stream": [{"value": 1}, {"value": "two", "operators": [{"delay": HALF}]}]},
    "view": {"source": {"view": "cart.totalPrice"}},
    "ref": {"source": {"ref": "a"}},
    "source": {"source": {"source": {"ref": "a"}, "operators": [{"map": SQUARE}]}},
    "nested": {"source": {"stream": [{"value": {"a": [1, 2.5]}}], "operators": []}},
    "merge": {"source": {"merge": [{"ref": "a"}, {"ref": "b"}]}},
    "append": {"source": {"append": [{"ref": "a"}, {"ref": "b"}]}},
    "flatMap": {"source": {"flatMap": [{"ref": "a"}, {"ref": "b"}]}},
    "zip": {"source": {"zip": [{"ref": "a"}, {"ref": "b"}]}},
    "combineLatest": {"source": {"combineLatest": [{"ref": "a"}, {"merge": [{"ref": "b"}]}]}},
}

# Each operator, and each form of those that have several.
OPERATORS = [
    {"map": SQUARE}, {"compactMap": SQUARE}, {"scan": {"initialValue": 0, "expression": "accumulated + value"}},
    {"flatMap": INNER}, {"concatMap": INNER}, {"switchToLatest": INNER},
    {"filter": {"expression": "value > 1"}}, {"removeDuplicates": {}}, {"removeDuplicates": {"by": "value == previous"}}, {"dropFirst": {"count": 2}},
    {"drop": {"while": "value < 2"}}, {"prefix": {"count": 2}}, {"prefix": {"while": "value < 2"}}, {"prefix": {"until": {"ref": "b"}}},
    {"skip": {"until": {"ref": "b"}}}, {"first": {}}, {"last": {}}, {"element": {"at": 1}}, {"ignoreOutput": {}},
    {"reduce": {"initialValue": 1, "expression": "accumulated * value"}}, {"count": {}}, {"min": {}}, {"max": {}},
    {"allSatisfy": {"expression": "value > 0"}}, {"contains": {"value": 3}}, {"collect": {}}, {"collect": {"count": 2}}, {"collect": HALF},
    {"prepend": {"values": [1, "two"]}}, {"append": {"values": [3]}}, {"withLatestFrom": {"source": {"ref": "b"}}}, {"sample": {"source": {"ref": "b"}}}, {"share": {}},
    {"delay": HALF}, {"debounce": HALF}, {"throttle": {"seconds": 0.5, "latest": True}}, {"timeout": HALF}, {"measureInterval": {}},
    {"retry": {"count": 2}}, {"catch": {"source": {"ref": "b"}}}, {"replaceError": {"with": 0}}, {"replaceEmpty": {"with": "none"}},
]


class AttrsClient:
    """The client of openapi-python-client: a function for each operation, classes of attrs."""

    def __init__(self, address):
        self.package = "headwater_client"
        self.client = importlib.import_module(self.package).Client(base_url=address)

    def call(self, tag, operation, *, body=None, model=None, **parameters):
        """Returns the status, the header fields and the JSON of an answer parsed into the client's classes."""
        function = importlib.import_module(f"{self.package}.api.{tag}.{operation}").sync_detailed
        if model:
            parameters["body"] = getattr(importlib.import_module(f"{self.package}.models"), model[0]).from_dict(body)
        answer = function(client=self.client, **parameters)
        parsed = answer.parsed
        if parsed is None and answer.status_code not in (204, 304):
            sys.exit(f"{operation}: an answer {answer.status_code} was not read: {answer.content[:200]}")
        return int(answer.status_code), answer.headers, plain(parsed)


class PydanticClient:
    """The client of openapi-generator for Python: a class for each tag, models of pydantic."""

    def __init__(self, address):
        self.package = importlib.import_module("headwater_openapi")
        self.client = self.package.ApiClient(self.package.Configuration(host=address))

    def call(self, tag, operation, *, body=None, model=None, **parameters):
        api = getattr(self.package, f"{tag.capitalize()}Api")(self.client)
        if model:
            parameters[snake(model[1])] = getattr(self.package, model[1]).from_dict(body)
        try:
            answer = getattr(api, f"{operation}_with_http_info")(**parameters)
        except self.package.ApiException as refusal:
            return refusal.status, refusal.headers, json.loads(refusal.body or "null")
        return answer.status_code, answer.headers, plain(answer.data)


def snake(name):
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


def plain(value):
    """A value of generated classes as JSON."""
    if hasattr(value, "actual_instance"):
        return plain(value.actual_instance)
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value


def expect(what, actual, expected):
    if actual != expected:
        sys.exit(f"{what}: expected {expected}, got {actual}")


def scenario(client):
    def done(what, *arguments, **parameters):
        status, fields, value = client.call(*arguments, **parameters)
        expect(f"{what}, {value}", status, 200)
        return fields, value

    _, performed = done("logging in", "user", "user_log_in", space=SPACE, body={"name": "Ada"}, model=("UserLogInInput", "UserLogInInput"))
    expect("what it changed", sorted(performed["changed"]), ["user.isLoggedIn", "user.name"])
    fields, title = done("a view", "user", "get_user_title", space=SPACE)
    expect("the title", title, "Ada")
    expect("nothing new", client.call("user", "get_user_title", space=SPACE, if_none_match=fields["ETag"])[0], 304)
    done("acting", "cart", "cart_add", space=SPACE, body={"productId": 2, "quantity": 3}, model=("CartAddInput", "CartAddInput"))
    _, views = done("views", "reading", "get_views", space=SPACE, view=["cart.numberOfItems", "cart.orders"])
    expect("the number of items", views["cart.numberOfItems"], 3)
    _, orders = done("orders", "cart", "get_cart_orders", space=SPACE)
    expect("an order", orders[0]["quantity"], 3)

    definitions = dict(SOURCES) | {f"operator-{place}": {"source": {"ref": "a"}, "operators": [one]} for place, one in enumerate(OPERATORS)}
    for name, definition in definitions.items():
        document = {"name": f"Stream {name}", **definition}
        done(f"keeping {name}", "streams", "put_stream", space=SPACE, id=f"g-{name}", body=document, model=("StreamDocument", "StreamDocument"))
        _, kept = done(f"reading {name}", "streams", "get_stream", space=SPACE, id=f"g-{name}")
        # pydantic makes an absent optional member null.
        kept = {key: value for key, value in kept.items() if value is not None}
        expect(f"the stream {name}", kept, {**document, "id": f"g-{name}"})
    _, streams = done("the streams", "streams", "get_streams", space=SPACE)
    expect("how many there are", len([one for one in streams if one["id"].startswith("g-")]), len(definitions))
    done("an action with a definition", "streams", "streams_put", space=SPACE, body={"id": "g-put", **SOURCES["zip"]}, model=("StreamsPutInput", "StreamsPutInput"))
    for name in [*definitions, "put"]:
        status = client.call("streams", "remove_stream", space=SPACE, id=f"g-{name}")[0]
        if status not in (200, 204):
            sys.exit(f"removing {name}: {status}")
    expect("a stream that was removed", client.call("streams", "get_stream", space=SPACE, id="g-zip")[0], 404)

    trial = {"definition": {"source": {"input": "x"}, "operators": [{"map": SQUARE}]}, "inputs": {"x": "-a-b|"}, "values": {"a": 2, "b": 3}}
    _, result = done("a try", "streams", "test_stream", space=SPACE, body=trial, model=("StreamTrial", "StreamTrial"))
    expect("what it delivered", [event["value"] for event in result["events"] if event.get("value") is not None], [4, 9])
    trial = {"definition": trial["definition"], "inputs": {"x": [{"at": 1, "value": 5}, {"at": 2, "end": True}]}}
    _, result = done("a try of events", "streams", "test_stream", space=SPACE, body=trial, model=("StreamTrial", "StreamTrial"))
    expect("what it delivered", [event["value"] for event in result["events"] if event.get("value") is not None], [25])

    _, changes = done("changes", "reading", "get_changes", space=SPACE)
    expect("the first change", changes[0]["action"], "user/logIn")

    status, _, problem = client.call("cart", "cart_increment", space=SPACE, body={"productId": 77}, model=("CartIncrementInput", "CartIncrementInput"))
    expect("a refusal", (status, problem["type"]), (409, "/problems/conflict"))
    wrong = {"source": {"ref": "a"}, "operators": [{"map": {"expression": "value +"}}]}
    status, _, problem = client.call("streams", "put_stream", space=SPACE, id="g-wrong", body=wrong, model=("StreamDocument", "StreamDocument"))
    expect("a definition that is wrong", (status, problem["pointer"]), (422, "/operators/0/map/expression"))
    print(f"logged in, read, acted, kept {len(definitions)} streams and read them back, tried two, was refused twice")


def main():
    name, folder, program = sys.argv[1:]
    sys.path.insert(0, folder)
    server = subprocess.Popen([program, "--port", "0", "--memory", "--log-level", "error"], stdout=subprocess.PIPE, text=True)
    try:
        line = server.stdout.readline()
        if "listening on" not in line:
            sys.exit(f"the server did not start: {line}")
        scenario({"openapi-python-client": AttrsClient, "openapi-generator": PydanticClient}[name](line.split()[-1]))
    finally:
        server.terminate()
        server.wait(timeout=15)


main()
