"""Labels, contrast, focus, motion and small screens, checked by axe and by hand."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from conftest import PROGRAM, Windows
from server import Server
from test_pages import PAGES

RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}


def check(window):
    results = Axe().run(window, options=RULES)
    # All violations at once, each with its elements.
    told = [f"{one['id']}: {one['help']}: {[node['html'][:120] for node in one['nodes']][:3]}" for one in results.response["violations"]]
    assert told == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", PAGES)
def test_axe_finds_no_violation(windows, server, space, page, scheme):
    server.act("user/logIn", {"name": "Ada"}, space)
    server.act("cart/add", {"productId": 1}, space)
    # An element has its final contrast after its animation.
    window = windows.open(page, space, color_scheme=scheme, reduced_motion="reduce")
    expect(window.locator("article h1")).to_be_visible()
    expect(window.locator("#standing-text")).to_have_text("Live")
    check(window)


def test_axe_finds_no_violation_in_dialogs(windows, server, space):
    server.act("user/logIn", {"name": "Ada"}, space)
    window = windows.open("overview", space, reduced_motion="reduce")
    window.locator(".views button", has_text="title").click()
    expect(window.locator("dialog.inspector .why")).to_contain_text("user/logIn")
    check(window)
    window.goto(f"{server.url}/#/{space}/luthier")
    window.get_by_role("button", name="Check out").click()
    expect(window.locator("dialog.sheet")).to_be_visible()
    check(window)


@pytest.mark.parametrize("page", PAGES)
def test_a_phone_never_scrolls_sideways(windows, server, space, page):
    server.act("cart/add", {"productId": 1}, space)
    window = windows.open(page, space, viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    expect(window.locator("article h1")).to_be_visible()
    assert window.evaluate("document.documentElement.scrollWidth") <= 360


def test_each_control_is_reachable_with_the_keyboard(windows, space):
    window = windows.open("user", space)
    expect(window.locator("article h1")).to_be_visible()
    window.keyboard.press("Tab")
    expect(window.locator(".skip")).to_be_focused()
    window.keyboard.press("Enter")
    expect(window.locator("main")).to_be_focused()
    window.keyboard.press("Tab")
    expect(window.get_by_label("Name", exact=True)).to_be_focused()
    window.keyboard.type("Ada")
    window.keyboard.press("Enter")
    expect(window.locator("#user-title")).to_have_text("Ada")


def test_an_opened_page_has_the_focus(windows, space):
    window = windows.open("user", space)
    expect(window.locator("article h1")).to_be_visible()
    window.get_by_role("link", name="Shop").click()
    expect(window.locator("article.shop")).to_be_visible()
    expect(window.locator("main")).to_be_focused()


def test_reduced_motion_stops_animations(windows, space):
    window = windows.open("luthier", space, reduced_motion="reduce")
    window.get_by_role("button", name="Check out").click()
    window.locator("dialog.sheet").get_by_role("button", name="Order for").click()
    expect(window.locator(".receipt")).to_contain_text("Total")
    expect(window.locator(".confetti")).to_have_count(0)
    assert window.evaluate("getComputedStyle(document.querySelector('article')).animationDuration") == "0s"


def test_axe_finds_no_violation_in_an_editor_with_faults(browser):
    server = Server(PROGRAM)
    windows = Windows(browser, server)
    windows.allows_refusals = True
    window = windows.open("features", color_scheme="dark", reduced_motion="reduce")
    window.get_by_role("textbox", name="New feature").fill("notes")
    window.get_by_role("button", name="Write").click()
    area = window.get_by_role("textbox", name="Document")
    expect(window.get_by_text("No faults.")).to_be_visible()
    area.fill(area.input_value().replace("row.votes + 1", "row.votez + 1"))
    expect(window.locator(".faults li")).to_have_count(1)
    check(window)
    windows.close()
    server.kill()
