"""`headwater dev` in a browser: from an empty folder to a changed value in two windows, faults over the page, a room."""

import json
import pathlib
import subprocess
import threading
import time
import urllib.request

import pytest
from playwright.sync_api import expect

from conftest import PROGRAM
from server import eventually

PATIENCE_MILLISECONDS = 20_000


class Dev:
    """A `headwater dev` for one folder."""

    def __init__(self, folder, *arguments):
        self.folder = folder
        self.process = subprocess.Popen(
            [PROGRAM, "dev", str(folder), "--port", "0", *arguments], stdout=subprocess.PIPE, text=True)
        self.lines = []
        while not self.lines or "listening on" not in self.lines[-1]:
            line = self.process.stdout.readline()
            assert line, self.lines
            self.lines.append(line.strip())
        self.url = self.lines[-1].split()[-1]
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip())

    def says(self, words):
        """Waits for a line of the terminal."""
        assert eventually(lambda: any(words in line for line in self.lines)), (words, self.lines)

    def save(self, document):
        """Saves the document; the lines of the saves before it are forgotten."""
        self.lines.clear()
        pathlib.Path(self.folder, "app.json").write_text(json.dumps(document))

    def ask(self, path, body=None, **fields):
        request = urllib.request.Request(
            self.url + path, data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json", **fields} if body is not None else fields)
        with urllib.request.urlopen(request, timeout=15) as answer:
            return answer.headers, answer.read().decode()

    def close(self):
        self.process.terminate()
        self.process.wait(15)
        self.reader.join()
        self.process.stdout.close()


@pytest.fixture
def dev(tmp_path):
    made = []

    def begin(*arguments):
        one = Dev(tmp_path / "app", *arguments)
        made.append(one)
        return one

    yield begin
    for one in made:
        one.close()


def change(dev, name, old, new):
    path = pathlib.Path(dev.folder, name)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def windows(browser, dev, count):
    pages = []
    for _ in range(count):
        page = browser.new_context().new_page()
        page.goto(dev.url)
        pages.append(page)
    return pages


def test_from_an_empty_folder_to_a_changed_value_in_two_windows(browser, dev):
    began = time.monotonic()
    app = dev()
    assert "made" in app.lines[0]
    first, second = windows(browser, app, 2)
    for page in (first, second):
        expect(page.locator("#count")).to_have_text("0")
    first.locator("#add").click()
    for page in (first, second):
        expect(page.locator("#count")).to_have_text("1")
    # A save of the document: the action adds ten, and the state stays.
    change(app, "app.json", '"to": "state.count + 1"', '"to": "state.count + 10"')
    change(app, "app.json", '{"act": "add"}, {"act": "add"}, {"expect": {"count": 2}}', '{"act": "add"}, {"act": "add"}, {"expect": {"count": 20}}')
    change(app, "app.json", '{"act": "subtract"}, {"expect": {"count": 1}}', '{"act": "subtract"}, {"expect": {"count": 19}}')
    change(app, "index.html", "<h1>Counter</h1>", "<h1>By ten</h1>")
    for page in (first, second):
        expect(page.locator("h1")).to_have_text("By ten", timeout=PATIENCE_MILLISECONDS)
        expect(page.locator("#count")).to_have_text("1")

    def pressed():
        second.locator("#add").click()
        return second.locator("#count").text_content()

    deadline = time.monotonic() + 20
    while int(text := pressed()) <= 10 and time.monotonic() < deadline:
        second.wait_for_timeout(250)

    # The last press may be under way still, so both windows are read until they agree.
    def agree():
        counts = {page.locator("#count").text_content() for page in (first, second)}
        return len(counts) == 1 and int(counts.pop()) > 10

    assert eventually(agree), text
    print(f"from the empty folder: {time.monotonic() - began:.1f} s")


def test_a_faulty_save_keeps_the_old_version_and_shows_the_faults_over_the_page(browser, dev):
    app = dev("--starter", "counter")
    (page,) = windows(browser, app, 1)
    expect(page.locator("#count")).to_have_text("0")
    change(app, "app.json", "state.count + 1", "state.cont + 1")
    box = page.locator("#headwater-faults")
    expect(box).to_contain_text("did you mean count", timeout=PATIENCE_MILLISECONDS)
    expect(box).to_contain_text("app.json:")
    # The old version goes on.
    box.click()
    page.locator("#add").click()
    expect(page.locator("#count")).to_have_text("1")
    # A failed test says the step and both values.
    change(app, "app.json", "state.cont + 1", "state.count + 2")
    expect(box).to_contain_text("it counts", timeout=PATIENCE_MILLISECONDS)
    expect(box).to_contain_text("counter.count is 4, not 2")
    # A text that is not JSON, with its line.
    change(app, "app.json", '"home": "space",', '"home" "space",')
    expect(box).to_contain_text("expected ':'", timeout=PATIENCE_MILLISECONDS)
    change(app, "app.json", '"home" "space",', '"home": "space",')
    change(app, "app.json", "state.count + 2", "state.count + 1")
    expect(box).to_have_count(0, timeout=PATIENCE_MILLISECONDS)
    expect(page.locator("#count")).to_have_text("1")


def test_the_list_and_the_room_work(browser, dev, tmp_path):
    app = dev("--starter", "list")
    first, second = windows(browser, app, 2)
    first.fill("[name=text]", "milk")
    first.click("form button")
    expect(second.locator("#items li")).to_have_text("milk")
    second.locator("#items input").check()
    expect(first.locator("#left")).to_have_text("0")
    first.click("#clear")
    expect(second.locator("#items li")).to_have_count(0)
    room = Dev(tmp_path / "room", "--starter", "room")
    try:
        ada, bob = windows(browser, room, 2)
        expect(ada.locator("#here")).to_contain_text(",")
        ada.fill("[name=text]", "hello")
        ada.click("form button")
        expect(bob.locator("#lines li")).to_contain_text("hello")
    finally:
        room.close()


def notes(table="notes", longest=20, **more):
    """A document whose test needs no row."""
    return {
        "feature": "pad", "home": "space",
        "state": {table: {"table": {"key": {"type": "string"}, "row": {"$ref": "#/types/Note"}}}},
        "types": {"Note": {"type": "object", "properties": {"text": {"type": "string", "maxLength": longest}}, "required": ["text"]}},
        "actions": {"add": {
            "input": {"type": "object", "properties": {"id": {"type": "string"}, "text": {"type": "string", "maxLength": longest}}, "required": ["id", "text"]},
            "do": [{"put": table, "key": "input.id", "row": "{'text': input.text}"}]}},
        "views": {"all": {"from": table}},
        "tests": [{"name": "a note is kept", "steps": [
            {"act": "add", "input": {"id": "k", "text": "x"}}, {"expect": {"all": [{"key": "k", "row": {"text": "x"}}]}}]}],
        **more,
    }


def test_the_terminal_tells_the_plan_of_new_queries_and_the_rows_that_a_save_concerns(dev, tmp_path):
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "app.json").write_text(json.dumps(notes()))
    app = dev()
    for key, text in (("a", "milk"), ("b", "egg")):
        app.ask("/v1/spaces/main/pad/add", {"id": key, "text": text})
    by_text = {"parameters": {"text": {"type": "string"}}, "from": "notes", "where": "row.text == input.text"}
    app.save(notes(views={"all": {"from": "notes"}, "found": by_text}))
    app.says("taken: all checks and tests passed")
    app.says('#/views/found finds its rows by an index of its own, {"by":["row.text"]}')
    assert not any("/views/all" in line for line in app.lines), app.lines
    # A failed test has its step and both values.
    failing = notes(tests=[{"name": "none", "steps": [{"act": "add", "input": {"id": "k", "text": "x"}}, {"expect": {"all": []}}]}])
    app.save(failing)
    app.says("not taken:")
    app.says('#/tests/0/steps/1/expect/all: the test "none" failed: pad.all is [{"key":"k","row":{"text":"x"}}], not []')
    # A narrower schema names the rows that do not fit it, and what they may be.
    app.save(notes(longest=3))
    app.says("an old text may have more than 3 characters")
    app.says("rows: notes: 1 kept, 1 failing")
    app.says("rows: notes a in main, at /text: ")
    app.save(notes(longest=10))
    app.says("rows: all stored rows fit the new schema")
    # A table that is left out names its rows, whether the save is refused or drops them.
    app.save(notes("cards"))
    app.says("notes would vanish, with 2 rows in 1 space")
    app.says('lost: notes a in main: {"text":"milk"}')
    app.save(notes("cards", drops=["notes"]))
    app.says("taken: all checks and tests passed")
    app.says("lost: pad.notes: 2 rows in 1 space")
    app.says('lost: notes b in main: {"text":"egg"}')


def test_the_settings_of_the_site_are_followed_too(browser, dev):
    app = dev()
    settings = pathlib.Path(app.folder, "headwater-site.json")
    settings.write_text('{"fallback": "index.html", "connect": ["https://login.example.org"]}')
    app.says("reloaded")
    headers, text = app.ask("/projects/1", Accept="text/html")
    assert "https://login.example.org" in headers["Content-Security-Policy"] and "<h1>Counter</h1>" in text
    # A faulty file is told in the terminal and over the page, and the settings before it stay.
    (page,) = windows(browser, app, 1)
    settings.write_text('{"fallbac": "index.html"}')
    app.says("headwater-site.json:1:13#/fallbac: there is no member fallbac")
    expect(page.locator("#headwater-faults")).to_contain_text("there is no member fallbac", timeout=PATIENCE_MILLISECONDS)
    assert "<h1>Counter</h1>" in app.ask("/projects/1", Accept="text/html")[1]
