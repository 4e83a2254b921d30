"""Clients beside the real server: client.js in Chromium, Examples/client.py, and the page of docs/clients.md."""

import hashlib
import importlib.util
import json
import os
import pathlib
import queue
import random
import re
import shutil
import subprocess
import sys
import threading

import pytest
from playwright.sync_api import expect

from conftest import PROGRAM
from server import PATIENCE_SECONDS, Server, eventually
from test_client import LOAD, PATIENCE_MILLISECONDS, shows

VIEWS = ["user.title", "cart.orders", "cart.totalPrice"]
FOLLOW = "() => { for (const name of %s) follow(name); }" % json.dumps(VIEWS)


@pytest.fixture
def site(tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_text("<!doctype html><title>blank</title>")
    [page] = re.findall(r"^```html\n(.*?)^```", pathlib.Path("docs/clients.md").read_text(), re.MULTILINE | re.DOTALL)[:1]
    (site / "log-in.html").write_text(page)
    shutil.copy("Examples/patches.html", site)
    return site


@pytest.fixture
def own(site, tmp_path):
    server = Server(PROGRAM, data=tmp_path / "data", arguments=["--site", str(site)])
    yield server
    if server.process.poll() is None:
        server.kill()


@pytest.fixture
def tabs(browser, own):
    context = browser.new_context()
    complaints = []

    def open_tab(script=None, path="/"):
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MILLISECONDS)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(own.url + path)
        if script:
            page.evaluate(LOAD)
            page.evaluate(script)
        return page

    open_tab.context = context
    yield open_tab
    context.close()
    assert complaints == []


def same_as_fresh(page, server, space="main"):
    """Waits until each view is what a fresh request gets."""
    def is_so():
        shown = page.evaluate("(names) => Object.fromEntries(names.map((name) => [name, client.view(name).get()]))", VIEWS)
        return shown == server.get(f"/v1/spaces/{space}/views?" + "&".join(f"view={name}" for name in VIEWS))
    return eventually(is_so)


def test_patches_give_the_values_of_a_fresh_request(tabs, own):
    page = tabs(FOLLOW)
    choice = random.Random(16)
    for number in range(60):
        product = choice.randint(1, 4)
        action = choice.choice(["cart/add", "cart/add", "cart/increment", "cart/decrement", "user/logIn", "cart/clear"])
        body = {"name": f"Ada {number}"} if action == "user/logIn" else {} if action == "cart/clear" else {"productId": product}
        shown = page.evaluate("([name, body]) => client.act(name, body).shown.then((answer) => answer.version, (error) => error.status)", [action, body])
        assert shown in (404, 409, 422) or shown > 0
        if number % 10 == 9:
            assert same_as_fresh(page, own)
    assert same_as_fresh(page, own)


def test_ten_tabs_through_the_death_of_the_server(tabs, own):
    pages = [tabs(FOLLOW) for _ in range(10)]
    for number, page in enumerate(pages):
        assert page.evaluate("(name) => client.act('user/logIn', { name }).shown.then((answer) => answer.version)", f"Ada {number}") == number + 1
    for page in pages:
        shows(page, "user.title", "Ada 9")
    assert own.figure("headwater_streams_active") == 1
    own.kill()
    pages[3].evaluate("() => { globalThis.acted = client.act('user/save', { name: 'Grace' }).then((answer) => answer.version); }")
    own.start()
    assert pages[3].evaluate("acted") == 11
    for page in pages:
        shows(page, "user.title", "Grace")
    # The tab that led closes while the server is away.
    own.kill()
    pages[0].close()
    own.start()
    own.act("user/save", {"name": "Hopper"})
    for page in pages[1:]:
        shows(page, "user.title", "Hopper")
    assert eventually(lambda: own.figure("headwater_streams_active") == 1)


def test_offline_and_back(tabs, own):
    page = tabs(FOLLOW)
    shows(page, "user.title", "Logged out")
    tabs.context.set_offline(True)
    page.evaluate("() => { globalThis.acted = client.act('user/logIn', { name: 'Ada' }).shown; }")
    own.act("cart/add", {"productId": 1})
    tabs.context.set_offline(False)
    assert page.evaluate("acted")["version"] == 2
    shows(page, "user.title", "Ada")
    assert same_as_fresh(page, own)


def test_a_server_without_its_data_resets_the_views(browser, site):
    server = Server(PROGRAM, arguments=["--site", str(site)])
    context = browser.new_context()
    page = context.new_page()
    page.goto(server.url)
    page.evaluate(LOAD)
    page.evaluate(FOLLOW)
    for name in ["Ada", "Grace", "Hopper"]:
        page.evaluate("(name) => client.act('user/logIn', { name }).shown", name)
    server.kill()
    server.start()
    shows(page, "user.title", "Logged out")
    assert page.evaluate("client.act('user/logIn', { name: 'Ada' }).shown")["version"] == 1
    shows(page, "user.title", "Ada")
    context.close()
    server.kill()


def test_spaces_are_followed_on_one_stream(tabs, own):
    page = tabs("() => { for (const space of ['a', 'b', 'c']) follow('user.title', { space }); }")
    for space in "abc":
        own.act("user/logIn", {"name": f"Ada {space}"}, space)
    for space in "abc":
        shows(page, "user.title", f"Ada {space}", space)
    assert own.figure("headwater_streams_active") == 1


def test_the_page_of_the_document_works_as_written(tabs, own):
    page, other = tabs(path="/log-in.html"), tabs(path="/log-in.html")
    expect(page.locator("h1")).to_have_text("Logged out")
    page.get_by_role("button").click()
    for one in [page, other]:
        expect(one.locator("h1")).to_have_text("Ada")


def test_the_python_lines_of_the_document_work_as_written(own):
    [lines] = re.findall(r"^```python\n(.*?)^```", pathlib.Path("docs/clients.md").read_text(), re.MULTILINE | re.DOTALL)
    lines = lines.replace("http://127.0.0.1:8080", own.url).replace("print(values, versions)", "print(values, versions, flush=True)")
    process = subprocess.Popen([sys.executable, "-c", lines], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": "Examples"})
    values, _, versions = process.stdout.readline().partition("} {")
    process.kill()
    process.wait(PATIENCE_SECONDS)
    process.stdout.close()
    price = own.get("/v1/spaces/main/cart/totalPrice")
    assert price > 0 and f"'main/cart.totalPrice': {price}" in values and "'main': '1.0'" in versions


def test_a_page_of_twenty_lines_applies_patches(tabs, own):
    page = tabs(path="/patches.html")

    def shown():
        return json.loads(page.locator("pre").inner_text() or "{}")

    assert len(pathlib.Path("Examples/patches.html").read_text().splitlines()) <= 20
    assert eventually(lambda: shown().get("main/cart.orders") == [])
    for _ in range(3):
        own.act("cart/add", {"productId": 1})
    own.act("cart/add", {"productId": 2})
    orders = own.get("/v1/spaces/main/cart/orders")
    assert eventually(lambda: shown()["main/cart.orders"] == orders and shown()["_versions"]["main"].startswith("4."))
    own.kill()
    own.start()
    own.act("cart/clear")
    assert eventually(lambda: shown()["main/cart.orders"] == [] and shown()["main/cart.totalPrice"] == 0)


def test_a_token_is_used_for_the_stream_and_for_actions(browser, site):
    server = Server(PROGRAM, arguments=["--site", str(site)], environment={"HEADWATER_TOKEN": "a token/of+mine"})
    context = browser.new_context()
    page = context.new_page()
    page.goto(server.url)
    page.evaluate(LOAD)
    page.evaluate("() => { client.settings.token = async () => 'a token/of+mine'; follow('user.title'); }")
    page.evaluate("client.act('user/logIn', { name: 'Ada' }).shown")
    shows(page, "user.title", "Ada")
    context.close()
    server.kill()


@pytest.fixture
def notes(browser, site, tmp_path):
    """A server with two persons and an administrator, and the feature of docs/features.md whose view `mine` is personal.

    Opens tabs of one browser: each has the token of its session storage.
    """
    [document] = [one for one in re.findall(r"^```json\n(.*?)^```", pathlib.Path("docs/features.md").read_text(), re.MULTILINE | re.DOTALL)
                  if '"feature": "notes"' in one]
    features = tmp_path / "features"
    features.mkdir()
    (features / "notes.json").write_text(document)
    tokens = tmp_path / "tokens"
    tokens.write_text("\n".join(
        f"{hashlib.sha256(name.encode()).hexdigest()} {right} * subject={name}" for name, right in [("ada", "act"), ("bob", "act"), ("root", "admin")]))
    server = Server(PROGRAM, arguments=["--site", str(site), "--features", str(features), "--tokens", str(tokens)])
    context = browser.new_context()

    def open_tab(name):
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MILLISECONDS)
        page.goto(server.url)
        page.evaluate(LOAD)
        page.evaluate("""(token) => {
            sessionStorage.token = token;
            client.settings.token = () => sessionStorage.token;
            follow('notes.mine');
        }""", name)
        return page

    for name in ["ada", "bob"]:
        server.act("notes/write", {"text": f"of {name}"}, token=name)
    yield server, open_tab
    context.close()
    server.kill()


def streams(server):
    return server.figure("headwater_streams_active", token="root")


def test_two_people_in_tabs_of_one_browser_see_and_write_their_own_notes(notes):
    server, open_tab = notes
    pages = {name: open_tab(name) for name in ["ada", "bob"]}
    for name, page in pages.items():
        shows(page, "notes.mine", [f"of {name}"])
    for name, page in pages.items():
        page.evaluate("(name) => client.act('notes/write', { text: `more of ${name}` }).shown", name)
    other = open_tab("ada")
    for name, page in [*pages.items(), ("ada", other)]:
        shows(page, "notes.mine", [f"of {name}", f"more of {name}"])
    assert "bob" not in json.dumps([pages["ada"].evaluate("seen"), other.evaluate("seen")])
    assert "ada" not in json.dumps(pages["bob"].evaluate("seen"))
    assert [row["by"]["sub"] for row in server.get("/v1/spaces/main/changes", token="root")] == ["ada", "bob", "ada", "bob"]
    assert eventually(lambda: streams(server) == 2)
    # The tab that leads the one person's closes.
    pages["ada"].close()
    for name in ["ada", "bob"]:
        server.act("notes/write", {"text": f"last of {name}"}, token=name)
    for name, page in [("ada", other), ("bob", pages["bob"])]:
        shows(page, "notes.mine", [f"of {name}", f"more of {name}", f"last of {name}"])


def test_the_next_person_in_a_tab_gets_nothing_of_the_last_one(notes):
    server, open_tab = notes
    page, other = open_tab("ada"), open_tab("ada")
    for one in [page, other]:
        shows(one, "notes.mine", ["of ada"])
    assert page.evaluate("() => { delete sessionStorage.token; client.signOut(); return client.view('notes.mine').get(); }") is None
    page.evaluate("() => { sessionStorage.token = 'bob'; follow('notes.mine'); }")
    shows(page, "notes.mine", ["of bob"])
    assert page.evaluate("seen['notes.mine']") == [["of bob"]]
    # Without a word to the client: the token alone changes.
    page.evaluate("() => { sessionStorage.token = 'ada'; follow('notes.mine'); }")
    shows(page, "notes.mine", ["of ada"])
    assert page.evaluate("seen['notes.mine']") == [["of ada"]]
    server.act("notes/write", {"text": "more"}, token="ada")
    for one in [page, other]:
        shows(one, "notes.mine", ["of ada", "more"])
    assert other.evaluate("seen['notes.mine']") == [["of ada"], ["of ada", "more"]]
    assert eventually(lambda: streams(server) == 1)


def test_the_python_client_through_the_death_of_the_server(own):
    specification = importlib.util.spec_from_file_location("headwater_client", "Examples/client.py")
    client = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(client)
    seen = queue.Queue()
    following = client.Client(own.url).follow("main/cart.orders", "main/user.title")
    threading.Thread(target=lambda: [seen.put(one) for one in following], daemon=True).start()

    def until(is_so):
        while not is_so(*seen.get(timeout=PATIENCE_SECONDS)):
            pass

    actor = client.Client(own.url)
    for _ in range(5):
        answer = actor.act("cart/add", {"productId": 1})
    until(lambda values, versions: versions["main"].split(".")[0] == str(answer["version"]))
    own.kill()
    acting = threading.Thread(target=lambda: actor.act("user/logIn", {"name": "Ada"}))
    acting.start()
    own.start()
    acting.join(PATIENCE_SECONDS)
    until(lambda values, _: values["main/user.title"] == "Ada" and values["main/cart.orders"] == own.get("/v1/spaces/main/cart/orders"))
    assert own.get("/v1/spaces/main")["version"] == 6
    with pytest.raises(client.Refusal):
        actor.act("cart/add", {"productId": 0})


@pytest.fixture
def board(browser, site):
    server = Server(PROGRAM, arguments=["--site", str(site), "--features", "Examples/documents/board", "--examples", "none"])
    context = browser.new_context()
    complaints = []

    def open_tab():
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MILLISECONDS)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(server.url)
        page.evaluate(LOAD)
        return page

    open_tab.server = server
    yield open_tab
    context.close()
    server.kill()
    assert complaints == []


def test_presence_in_several_tabs_and_after_a_tab_that_dies(board):
    def present():
        return sorted(row["name"] for row in board.server.get("/v1/spaces/main/board/here"))

    alone = board()
    alone.evaluate("() => { globalThis.end = client.presence('board.here', { as: 'ada', with: { x: 0.5 } }); }")
    assert eventually(lambda: present() == ["ada"])
    other = board()
    other.evaluate("() => { client.presence('board.here', { space: 'room', as: 'bob' }); follow('board.here', { space: 'room' }); }")
    other.wait_for_function("() => client.view('board.here', { space: 'room' }).get()?.length === 1")
    assert board.server.figure("headwater_streams_active") == 1
    # A row that the server refuses disturbs nothing else.
    other.evaluate("() => { client.presence('board.nothing', { as: 'x' }); }")
    alone.evaluate("() => { end(); }")
    assert eventually(lambda: present() == [])
    # A tab that does not lead crashes; its row goes, and the other one's view follows.
    third = board()
    third.evaluate("() => { client.presence('board.here', { as: 'eve' }); }")
    assert eventually(lambda: present() == ["eve"])
    third.context.new_cdp_session(third).send("Page.enable")
    with pytest.raises(Exception):
        third.goto("chrome://crash", timeout=2_000)
    assert eventually(lambda: present() == [])
