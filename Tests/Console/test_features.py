"""Features as documents: written, checked, tested, deployed, changed and deleted."""

import json
import re
import urllib.request
from datetime import datetime, timedelta, timezone

import pytest
from playwright.sync_api import expect

from conftest import PROGRAM, Windows
from server import Server


@pytest.fixture
def windows(browser):
    """The windows of a server of its own, because a deployment changes all pages."""
    server = Server(PROGRAM)
    windows = Windows(browser, server)
    # A faulty document is refused on purpose.
    windows.allows_refusals = True
    yield windows
    windows.close()
    server.kill()
    assert windows.complaints == []


def begin(windows, name):
    window = windows.open("features")
    window.get_by_role("textbox", name="New feature").fill(name)
    window.get_by_role("button", name="Write").click()
    expect(window.get_by_role("heading", name=name)).to_be_visible()
    expect(window.get_by_text("No faults.")).to_be_visible()
    return window


def put(server, document):
    request = urllib.request.Request(
        f"{server.url}/v1/features/{document['feature']}", data=json.dumps(document).encode(), headers={"Content-Type": "application/json"}, method="PUT")
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


def test_the_plan_names_indexes_and_walks(windows):
    document = {
        "feature": "planned", "home": "space",
        "state": {"notes": {"table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {"by": {"type": "string"}}}},
                            "indexes": {"byAuthor": {"by": ["row.by"]}}}},
        "actions": {"count": {"do": [], "answer": "size(state.notes.filter(k, state.notes[k].by == 'a'))"}},
        "views": {"ofA": {"expression": "size(index.byAuthor('a'))"}}}
    put(windows.server, document)
    window = windows.open("features/planned")
    expect(window.get_by_role("heading", name="Plan")).to_be_visible()
    plan = window.locator(".data", has_text="/views/ofA")
    expect(plan).to_contain_text("index byAuthor")
    expect(plan).to_contain_text("walks notes")
    expect(plan).to_contain_text('{"by":["row.by"]}')


def test_a_document_is_tested_deployed_used_and_deleted(windows):
    window = begin(windows, "board")
    window.get_by_role("button", name="Run tests").click()
    expect(window.locator(".verdict")).to_contain_text("The test passed")
    window.get_by_role("button", name="Deploy", exact=True).click()
    expect(window.get_by_text(re.compile("Deployed, with version"))).to_be_visible()
    expect(window.locator(".definitions li", has_text="board")).to_contain_text("document")
    # Its actions and views are there at once, as those of each feature.
    form = window.locator("form.action[aria-label='board add']")
    form.get_by_label("id").fill("a")
    form.get_by_label("text").fill("first")
    form.get_by_role("button", name="add").click()
    expect(window.get_by_role("region", name="Views").locator("li", has_text="count").locator(".value")).to_have_text("1")
    form.get_by_role("button", name="add").click()
    expect(form.locator(".problem").first).to_contain_text("note a exists already")
    window.get_by_role("link", name="Overview", exact=True).click()
    expect(window.get_by_role("heading", name=re.compile("^board"))).to_be_visible()
    window.goto(f"{windows.server.url}/#/main/tables/board.top")
    expect(window.locator(".data tbody tr")).to_have_count(1)
    window.goto(f"{windows.server.url}/#/main/features/board")
    window.get_by_role("button", name="Delete…").click()
    dialog = window.locator("dialog[open]")
    dialog.get_by_role("button", name="Delete the feature").click()
    expect(dialog.locator(".problem")).to_contain_text("state")
    dialog.get_by_label(re.compile("Drop its state")).check()
    dialog.get_by_role("button", name="Delete the feature").click()
    expect(window.locator(".definitions li", has_text="board")).to_have_count(0)
    window.get_by_role("link", name="Overview", exact=True).click()
    expect(window.locator("article.overview")).to_be_visible()
    expect(window.get_by_role("heading", name=re.compile("^board"))).to_have_count(0)


def test_faults_are_marked_at_their_place(windows):
    window = begin(windows, "notes")
    area = window.get_by_role("textbox", name="Document")
    text = area.input_value()
    area.fill(text.replace("size(state.notes)", "size(state.nots)").replace("row.votes + 1", "row.votez + 1"))
    faults = window.locator(".faults li")
    expect(faults).to_have_count(2)
    expect(faults.last).to_contain_text("did you mean notes?")
    assert window.locator(".under mark").all_inner_texts() == ["votez", "nots"]
    faults.last.get_by_role("button").click()
    assert area.evaluate("area => area.value.slice(area.selectionStart, area.selectionEnd)") == "nots"
    # Text that is no JSON is marked without a request.
    area.fill(text.replace('"home": "space",', '"home": "space"'))
    expect(faults).to_have_count(1)
    expect(faults).to_contain_text("a comma")
    area.fill(text)
    expect(faults).to_have_count(0)
    expect(window.get_by_text("No faults.")).to_be_visible()


def test_a_failed_test_is_shown_at_its_step(windows):
    window = begin(windows, "notes")
    area = window.get_by_role("textbox", name="Document")
    area.fill(area.input_value().replace('"notes.count": 1', '"notes.count": 2'))
    window.get_by_role("button", name="Run tests").click()
    expect(window.locator(".verdict")).to_have_text("1 of 1 test failed.")
    expect(window.locator(".results li")).to_contain_text("a vote counts")
    expect(window.locator(".faults li")).to_have_count(1)
    window.get_by_role("button", name="Deploy", exact=True).click()
    expect(window.locator(".faults li")).to_contain_text("a vote counts")
    assert "notes" not in [one["name"] for one in windows.server.get("/v1/features")["features"]]


def test_a_document_that_another_has_changed_is_not_overwritten_silently(windows):
    window = begin(windows, "board")
    window.get_by_role("button", name="Deploy", exact=True).click()
    expect(window.get_by_text(re.compile("Deployed, with version"))).to_be_visible()
    document = windows.server.get("/v1/features/board")
    document["views"]["twice"] = {"expression": "2 * size(state.notes)"}
    put(windows.server, document)
    area = window.get_by_role("textbox", name="Document")
    area.fill(area.input_value().replace("first", "second"))
    window.get_by_role("button", name="Deploy the changes").click()
    expect(window.get_by_text(re.compile("Somebody has deployed"))).to_be_visible()
    window.get_by_role("button", name="Load the deployed one").click()
    expect(area).to_have_value(re.compile("twice"))


def test_a_feature_of_the_program_is_shown_and_cannot_be_edited(windows):
    window = windows.open("features/cart")
    expect(window.get_by_role("heading", name="cart", exact=True)).to_be_visible()
    expect(window.get_by_text("This feature is written in Swift")).to_be_visible()
    expect(window.get_by_role("textbox", name="Document")).not_to_be_editable()
    expect(window.get_by_role("button", name="Deploy")).to_have_count(0)


def test_a_deployment_by_another_client_appears_on_open_pages(windows):
    window = windows.open("overview")
    expect(window.locator(".views li").first).to_be_visible()
    put(windows.server, {"feature": "clock", "home": "space", "state": {"hour": {"value": {"type": "integer"}, "initial": 7}},
                         "views": {"hour": {"expression": "state.hour"}}})
    expect(window.locator("section[aria-labelledby=feature-clock]")).to_contain_text("7")


def test_a_table_shows_how_far_an_instant_of_the_future_is(windows):
    server = windows.server
    put(server, {
        "feature": "offers", "home": "space", "state": {"ends": {"table": {"key": {"type": "string"}, "row": {
            "type": "object", "properties": {"at": {"type": "string", "format": "date-time"}}, "required": ["at"]}}}},
        "actions": {"put": {
            "input": {"type": "object", "properties": {"id": {"type": "string"}, "at": {"type": "string", "format": "date-time"}}, "required": ["id", "at"]},
            "do": [{"put": "ends", "key": "input.id", "row": "{'at': input.at}"}]}},
        "views": {"ends": {"from": "ends", "sort": ["key"], "select": "{'id': key, 'at': row.at}"}}})
    now = datetime.now(timezone.utc)
    for name, distance in [("a", -timedelta(hours=2)), ("b", timedelta(hours=3)), ("c", timedelta(seconds=2))]:
        server.act("offers/put", {"id": name, "at": (now + distance).strftime("%Y-%m-%dT%H:%M:%SZ")})
    window = windows.open("tables/offers.ends")
    expect(window.locator(".data tbody tr")).to_have_count(3)
    expect(window.locator(".data tbody tr time")).to_have_text(["2 hours ago", "in 3 hours", "just now"])
