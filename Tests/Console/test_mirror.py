"""/mirror.js in Chromium: a feature over its replica beside the real server. `Scripts/mirror` has the cases of expressions."""

import json

import pytest

from conftest import PROGRAM
from server import Server, eventually

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
