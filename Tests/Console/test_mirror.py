"""/mirror.js in Chromium: the cases of expressions, and a feature over its replica beside the real server."""

import json
import pathlib
import re

import pytest

from conftest import PROGRAM
from server import Server, eventually

CASES = pathlib.Path("Tests/ExpressionsTests/Cases/cases.jsonl")
# The engine has neither of these; the plan of a feature names them where an action uses them.
MISSING = re.compile(r"\b(matches|format|bytes|math\.bit\w+|strings\.quote|base64\.\w+)\b|get\w+\(['\"]|[^\w]b['\"]|^b['\"]")
# Names of packages, which no document has, and calls that documents permit and the strict language does not.
OTHER = {"qualified_ident", "self_eval_qualified_lookup", "dyn_error"}

RUN = """async (cases) => {
  const { cel, equal, readInstant, internals } = await import('/mirror.js');
  const { Uint, TypeName, isMap, readPeriod, typeOf } = internals;
  const read = (value) => {
    const [[kind, one]] = Object.entries(value);
    switch (kind) {
      case 'int': return BigInt(one);
      case 'uint': return new Uint(BigInt(one));
      case 'double': return Number(one);
      case 'bytes': return Uint8Array.from(atob(one), (letter) => letter.charCodeAt(0));
      case 'list': return one.map(read);
      case 'map': return new Map(one.map((pair) => pair.map(read)));
      case 'timestamp': return readInstant(one);
      case 'duration': return readPeriod(one);
      case 'type': return new TypeName(one);
      default: return one;
    }
  };
  const same = (a, b) => {
    if (typeOf(a) !== typeOf(b)) return false;
    if (typeof a === 'number') return Object.is(a, b) || a === b && a !== 0;
    if (Array.isArray(a)) return a.length === b.length && a.every((one, place) => same(one, b[place]));
    if (isMap(a)) return a.size === b.size && [...a].every(([key, one]) => [...b].some(([other, two]) => same(key, other) && same(one, two)));
    return equal(a, b);
  };
  return cases.filter((one) => {
    const names = Object.fromEntries(Object.entries(one.bindings ?? {}).map(([name, value]) => [name, read(value)]));
    try {
      const value = cel(one.expr)({ names, isStrict: true });
      return one.error || !same(value, read(one.value));
    } catch (error) {
      return !one.error || error.constructor.name !== 'Failure';
    }
  }).map((one) => `${one.name}: ${one.expr}`);
}"""

DOCUMENT = {
    "feature": "work", "home": "space",
    "state": {
        "tasks": {
            "table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {
                "owner": {"type": "string"}, "title": {"type": "string"}, "n": {"type": "integer", "default": 0}},
                "required": ["owner", "title"]}},
            "indexes": {"byOwner": {"by": ["row.owner"], "sort": ["row.n"]}},
        },
        "limit": {"value": {"type": "integer"}, "initial": 3},
    },
    "actions": {
        "add": {
            "input": {"type": "object", "properties": {"id": {"type": "string"}, "title": {"type": "string"}},
                      "required": ["id", "title"]},
            "require": [
                {"that": "!(input.id in state.tasks)", "else": {"detail": "there is {input.id}", "pointer": "/id"}},
                {"that": "size(index.byOwner('x')) < state.limit", "else": {"status": 422, "detail": "full"}},
            ],
            "do": [{"put": "tasks", "key": "input.id",
                    "row": "{'owner': 'x', 'title': input.title, 'n': size(index.byOwner('x'))}"}],
        },
        "rise": {
            "input": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
            "do": [{"update": "tasks", "key": "input.id", "with": "{'n': row.n + 10}"}],
        },
        "drop": {
            "input": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
            "do": [{"remove": "tasks", "key": "input.id"}],
        },
    },
    "views": {
        "list": {"from": "tasks", "sort": ["row.n", "key"], "select": "{'id': key, 'title': row.title, 'n': row.n}"},
        "count": {"expression": "size(state.tasks)"},
    },
    "replica": {"tasks": {}, "limit": {}},
}


@pytest.fixture
def page(browser, tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_text("<!doctype html><title>blank</title>")
    features = tmp_path / "features"
    features.mkdir()
    (features / "work.json").write_text(json.dumps(DOCUMENT))
    server = Server(PROGRAM, data=tmp_path / "data", arguments=["--site", str(site), "--features", str(features)])
    context = browser.new_context()
    page = context.new_page()
    page.goto(server.url + "/")
    page.server = server
    yield page
    context.close()
    server.kill()


def test_the_cases_of_expressions_that_concern_the_engine_pass(page):
    cases = [json.loads(line) for line in CASES.read_text().splitlines() if line]
    cases = [one for one in cases if not MISSING.search(one["expr"]) and one["name"] not in OTHER]
    assert len(cases) > 800
    assert page.evaluate(RUN, cases) == []


OPEN = """async () => {
  const { mirror } = await import('/mirror.js');
  window.work = mirror('work', { space: 'main' });
  await work.ready;
  window.shown = {};
  for (const name of ['list', 'count']) work.view(name).subscribe((value) => { shown[name] = value; });
}"""


def test_an_action_is_shown_before_the_server_has_it_and_refused_without_a_request(page):
    page.evaluate(OPEN)
    assert eventually(lambda: page.evaluate("() => shown.count") == 0)
    requests = []
    page.on("request", lambda request: requests.append(request.url) if "/work/" in request.url else None)
    # The prediction is there in the same turn, and the server makes the same row.
    page.evaluate("() => { window.done = work.act('add', { id: 'a', title: 'First' }); }")
    assert eventually(lambda: page.evaluate("() => shown.list?.length") == 1)
    assert page.evaluate("() => shown.list") == [{"id": "a", "title": "First", "n": 0}]
    page.evaluate("() => window.done.then((answer) => answer.version)")
    sent = len(requests)
    refused = page.evaluate("() => work.act('add', { id: 'a', title: 'Again' }).catch((error) => error.problem)")
    assert refused == {"status": 409, "type": "/problems/conflict", "detail": "there is a", "pointer": "/id"}
    assert len(requests) == sent


def test_a_page_without_a_network_performs_actions_and_sends_them_later(page):
    page.evaluate(OPEN)
    assert eventually(lambda: page.evaluate("() => shown.count") == 0)
    page.context.set_offline(True)
    page.evaluate("() => { work.act('add', { id: 'a', title: 'A' }); work.act('add', { id: 'b', title: 'B' }); work.act('rise', { id: 'a' }); }")
    rows = [{"id": "b", "title": "B", "n": 1}, {"id": "a", "title": "A", "n": 10}]
    assert eventually(lambda: page.evaluate("() => shown.list") == rows)
    page.context.set_offline(False)
    assert eventually(lambda: page.evaluate("() => fetch('/v1/spaces/main/work/list').then((reply) => reply.json())") == rows)
    assert eventually(lambda: page.evaluate("() => shown.list") == rows)


def test_changes_of_others_come_row_by_row(page):
    page.evaluate(OPEN)
    assert eventually(lambda: page.evaluate("() => shown.count") == 0)
    act = """([name, input]) => fetch(`/v1/spaces/main/work/${name}`, { method: 'POST', body: JSON.stringify(input),
      headers: { 'Content-Type': 'application/json' } }).then((reply) => reply.status)"""
    assert page.evaluate(act, ["add", {"id": "a/~b", "title": "A"}]) == 200
    assert eventually(lambda: page.evaluate("() => shown.count") == 1)
    assert page.evaluate(act, ["drop", {"id": "a/~b"}]) == 200
    assert eventually(lambda: page.evaluate("() => shown.count") == 0)
