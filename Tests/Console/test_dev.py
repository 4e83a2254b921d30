"""`headwater dev` in a browser: from an empty folder to a changed value in two windows, faults over the page, a room."""

import pathlib
import subprocess
import time

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

    def close(self):
        self.process.terminate()
        self.process.wait(15)
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
