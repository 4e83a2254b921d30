"""Editing in the console: rows with a reason, undo, export and import, 100,000 rows, a narrow window, the keyboard."""

import json

import pytest
from playwright.sync_api import expect

from conftest import PROGRAM, Windows
from server import Server

DOCUMENT = {
    "feature": "stock", "home": "space",
    "state": {"parts": {"table": {"key": {"type": "string"}, "row": {
        "type": "object", "properties": {"name": {"type": "string", "maxLength": 40}, "count": {"type": "integer", "default": 0}}, "required": ["name"]}}}},
    "actions": {"add": {
        "input": {"type": "object", "properties": {"id": {"type": "string"}, "name": {"type": "string"}}, "required": ["id", "name"]},
        "do": [{"put": "parts", "key": "input.id", "row": "{'name': input.name}"}]}},
    "views": {"parts": {"from": "parts"}},
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stock")
    (folder / "stock.json").write_text(json.dumps(DOCUMENT))
    server = Server(PROGRAM, arguments=["--examples", "none", "--features", str(folder)])
    yield server
    server.kill()

# True if a click at the middle of an element hits it.
IN_SIGHT = """one => {
  const { left, right, top, bottom } = one.getBoundingClientRect();
  return one.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
}"""


def edits(server, space, count):
    for start in range(0, count, 1_000):
        server.act("administration/edit", {"reason": "load", "edits": [
            {"table": "stock.parts", "key": f"p{place:06}", "row": {"name": f"Part {place}"}}
            for place in range(start, min(start + 1_000, count))]}, space=space)


def test_a_row_is_edited_added_removed_and_the_commit_undone(windows, server, space):
    server.act("stock/add", {"id": "a", "name": "Bolt"}, space=space)
    window = windows.open("tables/stock.parts", space)
    window.get_by_role("button", name="Edit the row a").click()
    dialog = window.get_by_role("dialog")
    row = dialog.get_by_label("Row", exact=True)
    row.fill('{"name": "Bolts", "count": 7}')
    dialog.get_by_label("Reason").fill("counted again")
    dialog.get_by_role("button", name="Rehearse").click()
    expect(dialog.get_by_role("status")).to_contain_text("version 2")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    expect(window.locator("table.data")).to_contain_text("Bolts")
    window.get_by_role("button", name="Add a row…").click()
    dialog = window.get_by_role("dialog")
    dialog.get_by_label("Key").fill("b")
    dialog.get_by_label("Row", exact=True).fill('{"name": "Nut"}')
    dialog.get_by_label("Reason").fill("new")
    dialog.get_by_role("button", name="Add").click()
    expect(window.locator("table.data tbody tr")).to_have_count(2)
    window.get_by_role("button", name="Remove the row b").click()
    dialog = window.get_by_role("dialog")
    dialog.get_by_label("Reason").fill("gone")
    dialog.get_by_role("button", name="Remove").click()
    expect(window.locator("table.data tbody tr")).to_have_count(1)
    changes = windows.tab(window.context, "changes", space)
    commit = changes.locator("details.commit").nth(2)
    commit.locator("summary").click()
    expect(commit).to_contain_text("counted again")
    commit.get_by_role("button", name="Undo…").click()
    dialog = changes.get_by_role("dialog")
    dialog.get_by_label("Reason").fill("not so")
    dialog.get_by_role("button", name="Undo").click()
    expect(dialog).to_have_count(0)
    expect(window.locator("table.data")).to_contain_text("Bolt")
    assert server.get(f"/v1/spaces/{space}/stock/parts")[0]["row"] == {"name": "Bolt", "count": 0}


def test_a_refused_edit_says_why(windows, server, space):
    windows.allows_refusals = True
    server.act("stock/add", {"id": "a", "name": "Bolt"}, space=space)
    window = windows.open("tables/stock.parts", space)
    window.get_by_role("button", name="Edit the row a").click()
    dialog = window.get_by_role("dialog")
    dialog.get_by_label("Row", exact=True).fill('{"name": 7}')
    dialog.get_by_label("Reason").fill("x")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.locator("p.problem")).to_contain_text("/edits/0/row")


def test_rows_go_to_a_file_and_come_back(windows, server, space, tmp_path):
    edits(server, space, 1_500)
    window = windows.open("tables/stock.parts", space)
    with window.expect_download() as waiting:
        window.get_by_role("button", name="Export").click()
    file = tmp_path / "rows.ndjson"
    waiting.value.save_as(file)
    lines = file.read_text().splitlines()
    assert len(lines) == 1_500 and json.loads(lines[0])["key"] == "p000000"
    file.write_text("\n".join(json.dumps({**json.loads(line), "row": {"name": "x", "count": 1}}) for line in lines))
    window.get_by_role("button", name="Import…").click()
    dialog = window.get_by_role("dialog")
    dialog.locator("input[type=file]").set_input_files(file)
    dialog.get_by_label("Reason").fill("back")
    dialog.get_by_role("button", name="Import").click()
    expect(dialog).to_have_count(0, timeout=20_000)
    assert server.get(f"/v1/spaces/{space}/stock/parts")[1_400]["row"] == {"name": "x", "count": 1}


def test_100_000_rows_in_390_pixels_by_keyboard(windows, server, space):
    edits(server, space, 100_000)
    window = windows.open("tables/stock.parts", space, viewport={"width": 390, "height": 800})
    expect(window.get_by_role("status").filter(has_text="100,000")).to_be_visible(timeout=120_000)
    assert window.evaluate("document.documentElement.scrollWidth") <= 390
    button = window.get_by_role("button", name="Edit the row p000000")
    # The buttons of a row are in sight although the table is wider than the window.
    assert button.evaluate(IN_SIGHT) and window.get_by_role("button", name="Remove the row p000000").evaluate(IN_SIGHT)
    button.focus()
    window.keyboard.press("Enter")
    dialog = window.get_by_role("dialog")
    expect(dialog).to_be_visible()
    assert dialog.evaluate("one => one.getBoundingClientRect().right") <= 390
    dialog.get_by_label("Reason").focus()
    window.keyboard.type("by keyboard")
    dialog.get_by_label("Row", exact=True).fill('{"name": "First"}')
    dialog.get_by_label("Reason").focus()
    window.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    expect(window.locator("table.data")).to_contain_text("First", timeout=60_000)
    window.get_by_role("button", name="Remove the row p000001").click()
    window.keyboard.press("Escape")
    expect(window.get_by_role("dialog")).to_have_count(0)


def test_100_000_rows_are_searched_sorted_and_paged(windows, server, space):
    edits(server, space, 100_000)
    window = windows.open("tables/stock.parts", space)
    expect(window.get_by_role("status").filter(has_text="100,000")).to_be_visible(timeout=120_000)
    rows = window.locator("table.data tbody tr")
    window.get_by_label("Search").fill("Part 99999")
    expect(window.get_by_role("status").filter(has_text="1 of 100,000 rows")).to_be_visible(timeout=60_000)
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text("p099999")
    window.get_by_label("Search").fill("")
    head = window.get_by_role("columnheader").get_by_role("button", name="key")
    head.click()
    head.click()
    expect(rows.first).to_contain_text("p099999", timeout=60_000)
    window.get_by_role("button", name="Next").click()
    expect(rows.first).to_contain_text("p099949")
    expect(window.get_by_role("status").filter(has_text="51 to 100 of 100,000 rows")).to_be_visible()
    # A change arrives in the whole table too.
    server.act("stock/add", {"id": "zz", "name": "Last"}, space=space)
    expect(window.get_by_role("status").filter(has_text="100,001 rows")).to_be_visible(timeout=120_000)
    window.get_by_role("button", name="Previous").click()
    expect(rows.first).to_contain_text("Last")
