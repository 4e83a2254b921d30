"""client.js in Chromium and Examples/client.py over a bad network, by schedules with seeds.

HEADWATER_SCHEDULES is the number of schedules of each client, HEADWATER_SEED the first seed.
"""

import json
import os
import random
import threading
import time

import pytest

from bad_network import BadNetwork
from conftest import PROGRAM
from server import Server, eventually
from test_client import LOAD, PATIENCE_MILLISECONDS
from test_python_client import client as python_client

SCHEDULES = int(os.environ.get("HEADWATER_SCHEDULES", "6"))
FIRST_SEED = int(os.environ.get("HEADWATER_SEED", "1"))
HEAP_LIMIT_BYTES = 64 * 1024 * 1024

LEDGER = {
    "feature": "ledger", "home": "space",
    "state": {
        "entries": {"table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {
            "place": {"type": "integer"}, "by": {"type": "string"}, "n": {"type": "integer"}}}}},
        "count": {"value": {"type": "integer"}, "initial": 0},
    },
    "actions": {"append": {
        "input": {"type": "object", "properties": {"by": {"type": "string"}, "n": {"type": "integer"}}, "required": ["by", "n"]},
        "require": [{"that": "input.n % 10 != 9", "else": {"detail": "nines are refused"}}],
        "do": [
            {"put": "entries", "key": "newId()", "row": "{'place': state.count, 'by': input.by, 'n': input.n}"},
            {"set": "count", "to": "state.count + 1"},
        ],
    }},
    "views": {
        "all": {"from": "entries", "sort": ["row.place"], "select": "{'by': row.by, 'n': row.n}"},
        "count": {"expression": "state.count"},
        "of": {"parameters": {"by": {"type": "string"}}, "from": "entries", "where": "row.by == input.by", "sort": ["row.place"], "select": "row.n"},
    },
}

# Follows the views of a space, and notes each value that is older than one before it.
FOLLOW = """([space, by]) => {
    globalThis.older = globalThis.older ?? [];
    let count = 0, length = 0;
    client.view('ledger.count', { space }).subscribe((value) => { if (value < count) older.push([space, 'count', count, value]); count = value ?? count; });
    client.view('ledger.all', { space }).subscribe((value) => { if (value && value.length < length) older.push([space, 'all', length, value.length]); length = value?.length ?? length; });
    client.view('ledger.of', { space, parameters: { by } }).subscribe(() => {});
}"""
ACT = """([space, by, from, to]) => {
    globalThis.answers = globalThis.answers ?? {};
    for (let n = from; n < to; n++) {
        client.act('ledger/append', { by, n }, { space }).then((answer) => { answers[`${by} ${n}`] = 'done'; }, (error) => { answers[`${by} ${n}`] = error.status; });
    }
}"""


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ledger")
    (folder / "site").mkdir()
    (folder / "site" / "index.html").write_text("<!doctype html><meta charset=utf-8><title>ledger</title>")
    (folder / "features").mkdir()
    (folder / "features" / "ledger.json").write_text(json.dumps(LEDGER))
    server = Server(PROGRAM, data=folder / "data", arguments=[
        "--site", str(folder / "site"), "--features", str(folder / "features"), "--examples", "none", "--drain", "0"])
    yield server
    server.kill()


@pytest.fixture
def network(ledger):
    network = BadNetwork(ledger.port)
    yield network
    network.close()


def entries(server, space):
    return server.get(f"/v1/spaces/{space}/ledger/all")


def expected(ns):
    return [n for n in ns if n % 10 != 9]


@pytest.mark.parametrize("seed", range(FIRST_SEED, FIRST_SEED + SCHEDULES))
def test_tabs_over_a_bad_network_show_what_the_server_has(browser, ledger, network, seed):
    choice, space = random.Random(seed), f"tabs-{seed}"
    context = browser.new_context()
    complaints, dead = [], {}
    sent = {}

    def open_tab():
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MILLISECONDS * 3)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(network.url)
        page.evaluate(LOAD)
        by = f"{len(sent)}"
        sent[by] = 0
        page.evaluate(FOLLOW, [space, by])
        return by, page

    tabs = dict(open_tab() for _ in range(choice.choice([1, 2, 2, 4])))
    network.rough(seed)
    for _ in range(choice.randint(6, 14)):
        by, page = choice.choice(list(tabs.items()))
        match choice.choice(["act", "act", "act", "wait", "cut", "close", "open", "kill"]):
            case "act":
                count = choice.randint(1, 8)
                page.evaluate(ACT, [space, by, sent[by], sent[by] + count])
                sent[by] += count
            case "wait":
                page.wait_for_timeout(choice.uniform(0, 400))
            case "cut":
                network.cut()
            case "close" if len(tabs) > 1:
                dead[by] = sent[by]
                tabs.pop(by).close()
            case "open" if len(tabs) < 5:
                network.calm()
                tabs |= [open_tab()]
                network.rough(seed + 1)
            case "kill" if choice.random() < 0.3:
                ledger.kill()
                ledger.start()
    network.calm()
    for by, page in tabs.items():
        page.wait_for_function("([by, count]) => Object.keys(globalThis.answers ?? {}).filter((name) => name.startsWith(`${by} `)).length === count", arg=[by, sent[by]])
    [page, *_] = tabs.values()
    page.wait_for_function("() => client.status.get().waiting === 0")
    assert eventually(lambda: page.evaluate("async () => (await client.pending()).every((one) => one.state === 'refused')"))
    all_entries = entries(ledger, space)
    for by, page in tabs.items():
        # Each action once, and in its order.
        assert [one["n"] for one in all_entries if one["by"] == by] == expected(range(sent[by])), f"tab {by}"
        page.wait_for_function(
            "([space, text]) => JSON.stringify(client.view('ledger.all', { space }).get() ?? []) === text",
            arg=[space, json.dumps(all_entries, separators=(",", ":"))])
        page.wait_for_function(
            "([space, by, text]) => JSON.stringify([client.view('ledger.count', { space }).get(), client.view('ledger.of', { space, parameters: { by } }).get()]) === text",
            arg=[space, by, json.dumps([len(all_entries), expected(range(sent[by]))], separators=(",", ":"))])
        assert page.evaluate("older") == [], f"tab {by}"
    for by, count in dead.items():
        # Of a tab that died, the actions that it had stored.
        ns = [one["n"] for one in all_entries if one["by"] == by]
        assert ns == expected(range(count))[: len(ns)], f"tab {by}"
    heap = page.evaluate("() => performance.memory.usedJSHeapSize")
    context.close()
    assert complaints == [] and heap < HEAP_LIMIT_BYTES, (complaints, heap)


def test_twenty_tabs_over_a_bad_network(browser, ledger, network):
    context, space = browser.new_context(), "twenty"
    tabs = []
    for by in range(20):
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MILLISECONDS * 3)
        page.goto(network.url)
        page.evaluate(LOAD)
        page.evaluate(FOLLOW, [space, str(by)])
        tabs.append(page)
    network.rough(20)
    for by, page in enumerate(tabs):
        page.evaluate(ACT, [space, str(by), 0, 3])
    for page in tabs[:5]:
        page.close()
    network.cut()
    network.calm()
    for by, page in list(enumerate(tabs))[5:]:
        page.wait_for_function("(count) => Object.keys(answers).length === count", arg=3)
    tabs[19].wait_for_function("() => client.status.get().waiting === 0")
    text = json.dumps(entries(ledger, space), separators=(",", ":"))
    for page in tabs[5:]:
        page.wait_for_function("([space, text]) => JSON.stringify(client.view('ledger.all', { space }).get()) === text", arg=[space, text])
        assert page.evaluate("older") == []
    for by in range(5, 20):
        assert [one["n"] for one in json.loads(text) if one["by"] == str(by)] == [0, 1, 2]
    assert ledger.figure("headwater_streams_active") <= 2
    context.close()


def test_a_stream_that_is_silent_is_opened_anew_and_a_short_silence_is_borne(browser, ledger, network):
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MILLISECONDS)
    page.clock.install()
    # A stream may be opened on a connection that is there.
    opened = []
    page.on("request", lambda request: opened.append(request) if request.url.endswith("/v1/live") else None)
    page.goto(network.url)
    page.evaluate(LOAD)
    page.evaluate(FOLLOW, ["silent", "a"])
    page.clock.run_for(1_000)
    page.wait_for_function("() => client.view('ledger.count', { space: 'silent' }).get() === 0")
    before = len(opened)
    # Half open: what the server sends does not arrive, and nobody is told.
    network.call(lambda: setattr(network, "latency", 3_600))
    assert eventually(lambda: len(network.writers) >= 2)
    ledger.act("ledger/append", {"by": "x", "n": 0}, space="silent")
    page.clock.run_for(30_000)
    assert page.evaluate("client.status.get().state") == "live" and len(opened) == before
    network.call(lambda: setattr(network, "latency", 0))
    page.clock.run_for(45_000)
    page.clock.resume()
    page.wait_for_function("() => client.view('ledger.count', { space: 'silent' }).get() === 1")
    assert len(opened) > before
    context.close()


@pytest.mark.parametrize("seed", range(FIRST_SEED, FIRST_SEED + SCHEDULES))
def test_the_python_client_over_a_bad_network(ledger, network, tmp_path, seed, monkeypatch):
    monkeypatch.setattr(python_client, "SILENCE_SECONDS", 3)
    monkeypatch.setattr(python_client, "ANSWER_SECONDS", 3)
    choice, space, store = random.Random(seed), f"python-{seed}", tmp_path / "queue"
    network.rough(seed)
    older, shown, is_over = [], {}, threading.Event()

    def follow():
        for values, versions in python_client.Client(network.url, sleep=lambda _: time.sleep(0.05)).follow(f"{space}/ledger.all", f"{space}/ledger.count"):
            if values.get(f"{space}/ledger.count", 0) < shown.get(f"{space}/ledger.count", 0):
                older.append(values)
            shown.update(values)
            if is_over.is_set():
                return
    following = threading.Thread(target=follow, daemon=True)
    following.start()
    made = [python_client.Client(network.url, store=store, sleep=lambda _: time.sleep(0.05))]
    count = 0
    for _ in range(choice.randint(3, 8)):
        for n in range(count, count + choice.randint(1, 8)):
            made[0].send("ledger/append", {"by": "p", "n": n}, space)
            count = n + 1
        if choice.random() < 0.4:
            network.cut()
        if choice.random() < 0.1:
            ledger.kill()
            ledger.start()
    network.calm()
    assert eventually(lambda: made[0].status["waiting"] == 0)
    assert [one["n"] for one in entries(ledger, space)] == expected(range(count))
    assert eventually(lambda: shown.get(f"{space}/ledger.all") == entries(ledger, space)) and older == []
    is_over.set()
    ledger.act("ledger/append", {"by": "end", "n": 0}, space=space)
    following.join(20)
