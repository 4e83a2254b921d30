"""Spaces, subjects, the audit log, health and limits; lists as tables; older commits."""

import hashlib
import re

import pytest
from playwright.sync_api import expect

from conftest import PROGRAM, Windows
from server import Server

MANY_COMMITS = 260


def cells(window, column):
    """The texts of a column of the only table."""
    return window.locator(f".data tbody tr > :nth-child({column})").all_inner_texts()


@pytest.fixture
def closed(browser, tmp_path):
    """A server with two tokens and an audit log, and its windows, which have the token of an administrator."""
    tokens = tmp_path / "tokens"
    tokens.write_text("\n".join([
        f"{hashlib.sha256(b'root').hexdigest()} admin * subject=root", f"{hashlib.sha256(b'ada').hexdigest()} act * subject=ada"]))
    server = Server(PROGRAM, arguments=["--tokens", str(tokens), "--audit", str(tmp_path / "audit")])
    windows = Windows(browser, server)
    windows.allows_refusals = True

    def open_as(token, page, space="main"):
        window = windows.open(page, space)
        window.get_by_role("textbox", name="Token").fill(token)
        window.get_by_role("button", name="Use it").click()
        expect(window.locator("#standing-text")).to_have_text("Live")
        return window

    yield server, open_as
    windows.close()
    server.kill()
    assert windows.complaints == []


def test_spaces_are_found_by_beginning_and_part(windows, server):
    for name in ["find-a", "find-b", "other-find"]:
        server.act("user/logIn", {"name": "Ada"}, name)
    server.act("user/save", {"name": "Grace"}, "find-b")
    window = windows.open("spaces", "find-a")
    search = window.get_by_label("Part of the name")
    search.fill("find")
    expect(window.locator(".data tbody tr")).to_have_count(2)
    assert cells(window, 1) == ["find-a", "find-b"] and cells(window, 2) == ["1", "2"]
    assert all(text == "just now" for text in cells(window, 3)) and all(re.match(r"\d+ (bytes|kB)", text) for text in cells(window, 4))
    window.get_by_label("Name", exact=True).select_option("contains")
    expect(window.locator(".data tbody tr")).to_have_count(3)
    window.get_by_role("link", name="find-b").click()
    expect(window.locator("article.overview")).to_be_visible()
    expect(window.get_by_label("Space", exact=True)).to_have_value("find-b")


def test_spaces_come_page_by_page(windows, server):
    for number in range(60):
        server.act("user/logIn", {"name": "Ada"}, f"page-{number:02}")
    window = windows.open("spaces")
    window.get_by_label("Part of the name").fill("page-")
    # Without the word there are more than 50 spaces too.
    expect(window.locator(".data tbody tr").first).to_contain_text("page-00")
    expect(window.locator(".pager [role=status]")).to_contain_text("50 rows so far")
    window.get_by_role("button", name="More", exact=True).click()
    expect(window.locator(".pager [role=status]")).to_contain_text("1 to 50 of 60 rows")
    window.locator(".pager").get_by_role("button", name="Next").click()
    expect(window.locator(".data tbody tr")).to_have_count(10)
    window.get_by_role("columnheader", name="Name").get_by_role("button").click()
    window.get_by_role("columnheader", name="Name").get_by_role("button").click()
    expect(window.get_by_role("columnheader", name="Name")).to_have_attribute("aria-sort", "descending")
    expect(window.locator(".data tbody tr").first).to_contain_text("page-59")


def test_a_space_is_deleted_after_its_name_was_typed(windows, server):
    server.act("user/logIn", {"name": "Ada"}, "gone-1")
    window = windows.open("spaces")
    window.get_by_label("Part of the name").fill("gone-")
    window.get_by_role("button", name="Delete gone-1").click()
    dialog = window.locator("dialog[open]")
    expect(dialog.get_by_role("button", name="Delete the space")).to_be_disabled()
    dialog.get_by_role("textbox").fill("gone-1")
    dialog.get_by_role("button", name="Delete the space").click()
    expect(window.locator("article .empty")).to_be_visible()
    assert server.get("/v1/spaces/gone-1")["version"] == 0


def test_subjects_have_their_streams(closed):
    server, open_as = closed
    window = open_as("root", "subjects")
    expect(window.locator(".data tbody tr")).to_have_count(2)
    # Each right with those that it brings.
    assert cells(window, 1) == ["ada", "root"] and cells(window, 2) == ["read, act", "read, act, define, metrics, admin"]
    own = window.locator(".data tbody tr", has_text="root").locator("details.routes")
    own.locator("summary").click()
    expect(own).to_contain_text("/v1/spaces/{space}/views")


def test_the_audit_log_shows_who_did_what(closed):
    server, open_as = closed
    other = open_as("ada", "audit")
    expect(other.locator("article .problem").first).to_contain_text("admin")
    other.goto(f"{server.url}/#/main/user")
    other.get_by_label("Name", exact=True).fill("Ada")
    other.get_by_role("button", name="Log in").click()
    expect(other.locator("#user-title")).to_have_text("Ada")
    window = open_as("root", "audit")
    expect(window.locator(".data tbody tr", has_text="user/logIn")).to_contain_text("ada")
    expect(window.locator(".data tbody tr", has_text="/v1/limits").first).to_contain_text("403 forbidden")
    window.get_by_label("Search").fill("logIn")
    expect(window.locator(".data tbody tr")).to_have_count(1)


def test_a_server_without_an_audit_log_says_how_to_get_one(windows, space):
    window = windows.open("audit", space)
    expect(window.locator("article .empty", has_text="--audit FILE")).to_be_visible()


def test_health_shows_the_limits_and_their_use(windows, server, space):
    window = windows.open("health", space)
    expect(window.locator("p.health b")).to_have_text("Ready")
    expect(window.locator(".tile", has_text="Connections").locator("meter")).to_be_visible()
    limits = server.get("/v1/limits")
    expect(window.locator(".tile", has_text="Connections").locator(".note")).to_have_text(f"of {limits['messages']['connectionCount']:,}", timeout=10_000)
    expect(window.get_by_role("region", name="Each subject")).to_contain_text("no limit")


def test_a_list_is_a_table_that_can_be_sorted_and_searched(windows, server, space):
    for product in [1, 2, 3]:
        server.act("cart/add", {"productId": product, "quantity": product}, space)
    window = windows.open("tables/cart.orders", space)
    expect(window.locator(".data tbody tr")).to_have_count(3)
    header = window.get_by_role("columnheader", name="quantity").get_by_role("button")
    header.click()
    header.click()
    expect(window.get_by_role("columnheader", name="quantity")).to_have_attribute("aria-sort", "descending")
    column = 1 + window.locator(".data thead th").all_inner_texts().index("quantity")
    assert cells(window, column) == ["3", "2", "1"]
    # The table is live, and keeps its order.
    server.act("cart/increment", {"productId": 1}, space)
    server.act("cart/increment", {"productId": 1}, space)
    server.act("cart/increment", {"productId": 1}, space)
    expect(window.locator(f".data tbody tr:first-child > :nth-child({column})")).to_have_text("4")
    window.get_by_label("Search").fill("no such row")
    expect(window.locator(".data tbody tr")).to_have_count(0)
    expect(window.locator(".pager [role=status]")).to_have_text("0 of 3 rows.")


def test_the_inspector_leads_to_the_table(windows, server, space):
    window = windows.open("overview", space)
    window.get_by_role("button", name=re.compile("^products")).click()
    window.get_by_role("link", name="As a table").click()
    expect(window.locator("#table-title")).to_have_text("catalog.products")
    expect(window.locator(".data tbody tr").first).to_be_visible()


def test_an_address_of_another_table_shows_it(windows, server, space):
    server.act("cart/add", {"productId": 1}, space)
    window = windows.open("tables/catalog.products", space)
    expect(window.locator("#table-title")).to_have_text("catalog.products")
    window.goto(f"{server.url}/#/{space}/tables/cart.orders")
    expect(window.locator("#table-title")).to_have_text("cart.orders")
    expect(window.locator(".data tbody tr")).to_have_count(1)
    # An address without a table leaves the page as it is.
    window.get_by_label("Search").fill("no such row")
    window.get_by_role("link", name="Tables", exact=True).click()
    expect(window.locator(".pager [role=status]")).to_have_text("0 of 1 row.")


def test_a_column_of_nulls_is_not_one_of_numbers(windows, server, space):
    window = windows.open("tables/streams.definitions", space)
    expect(window.get_by_role("columnheader", name="description")).to_be_visible()
    expect(window.get_by_role("columnheader", name="description")).not_to_have_class(re.compile("number"))
    server.act("cart/add", {"productId": 1}, space)
    window.goto(f"{server.url}/#/{space}/tables/cart.orders")
    expect(window.get_by_role("columnheader", name="quantity")).to_have_class(re.compile("number"))


@pytest.mark.parametrize("page, name", [("tables/cart.orders", "cart.orders"), ("streams/zip", "Zip Stream")])
def test_a_phone_shows_the_chosen_element_of_a_list(windows, space, page, name):
    window = windows.open(page, space, viewport={"width": 320, "height": 844})
    pressed = window.locator(".definitions [aria-pressed=true]")
    expect(pressed).to_contain_text(name)
    expect(pressed).to_be_in_viewport(ratio=1)


def test_changes_page_back_to_the_oldest(windows, server, space):
    for number in range(MANY_COMMITS):
        server.act("user/logIn" if number == 0 else "user/save", {"name": f"Ada {number}"}, space)
    window = windows.open("changes", space)
    rows = window.locator(".log > li")
    expect(rows).to_have_count(100, timeout=15_000)
    window.get_by_role("button", name="Older commits", exact=True).click()
    expect(rows).to_have_count(200)
    window.get_by_role("button", name=re.compile("All 60 older commits")).click()
    expect(rows).to_have_count(MANY_COMMITS)
    expect(window.get_by_text("This is the first commit.")).to_be_visible()
    expect(rows.last).to_contain_text("user/logIn")
    # New commits still come in front.
    server.act("user/save", {"name": "Grace"}, space)
    expect(rows.first).to_contain_text("Grace")
    expect(rows).to_have_count(MANY_COMMITS + 1)


@pytest.fixture
def short(browser):
    """A server that keeps 120 commits of each space, and its windows."""
    server = Server(PROGRAM, arguments=["--history", "120"])
    windows = Windows(browser, server)
    # The first request for older commits is answered by the oldest version.
    windows.allows_refusals = True
    yield server, windows
    windows.close()
    server.kill()
    assert windows.complaints == []


def test_changes_end_where_the_history_does(short):
    server, windows = short
    for number in range(150):
        server.act("user/logIn" if number == 0 else "user/save", {"name": f"Ada {number}"})
    window = windows.open("changes")
    expect(window.locator(".log > li")).to_have_count(100, timeout=15_000)
    window.get_by_role("button", name="Older commits", exact=True).click()
    expect(window.locator(".log > li")).to_have_count(120)
    expect(window.get_by_text("Commits up to version 30 are no longer stored.")).to_be_visible()
