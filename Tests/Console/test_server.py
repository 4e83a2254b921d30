"""The server restarts, requires a token, and refuses requests."""

import hashlib

import pytest
from playwright.sync_api import expect

from conftest import PROGRAM, Windows
from server import Server, eventually


@pytest.fixture
def own(browser, tmp_path):
    """A server with a data directory, and its windows."""
    server = Server(PROGRAM, data=tmp_path / "data")
    windows = Windows(browser, server)
    windows.allows_refusals = True
    yield server, windows
    windows.close()
    server.kill()
    assert windows.complaints == []


def test_the_page_survives_a_restart_without_a_reload(own):
    server, windows = own
    window = windows.open("user")
    window.get_by_label("Name", exact=True).fill("Ada")
    window.get_by_role("button", name="Log in").click()
    expect(window.locator("#user-title")).to_have_text("Ada")
    window.evaluate("globalThis.isSameDocument = true")
    server.kill()
    expect(window.locator("#away")).to_be_visible()
    expect(window.locator("#away")).to_contain_text("does not answer")
    expect(window.locator("#user-title")).to_have_text("Ada")
    server.start()
    expect(window.locator("#away")).to_be_hidden(timeout=15_000)
    expect(window.locator("#standing-text")).to_have_text("Live")
    window.get_by_role("button", name="Log out").click()
    expect(window.locator("#user-title")).to_have_text("Logged out")
    assert window.evaluate("globalThis.isSameDocument")


def test_typed_text_survives_a_restart(own):
    server, windows = own
    window = windows.open("actions")
    field = window.locator("form.action[aria-label='user save']").get_by_label("name")
    field.fill("half a name")
    server.kill()
    expect(window.locator("#away")).to_be_visible()
    server.start()
    expect(window.locator("#away")).to_be_hidden(timeout=15_000)
    expect(field).to_have_value("half a name")


def test_the_list_of_changes_is_complete_after_a_restart(own):
    server, windows = own
    window = windows.open("changes")
    server.act("user/logIn", {"name": "Ada"})
    expect(window.locator(".log li")).to_have_count(1)
    server.kill()
    expect(window.locator("#away")).to_be_visible()
    server.start()
    server.act("user/save", {"name": "Grace"})
    server.act("user/logOut")
    expect(window.locator(".log li")).to_have_count(3, timeout=15_000)
    assert [text.split()[0] for text in window.locator(".log .version").all_inner_texts()] == ["3", "2", "1"]


def test_a_server_with_lost_data_is_followed_from_its_beginning(browser):
    server = Server(PROGRAM)
    windows = Windows(browser, server)
    windows.allows_refusals = True
    window = windows.open("changes")
    server.act("user/logIn", {"name": "Ada"})
    server.act("user/save", {"name": "Grace"})
    expect(window.locator(".log li")).to_have_count(2)
    server.kill()
    expect(window.locator("#away")).to_be_visible()
    server.start()
    server.act("user/logIn", {"name": "Other"})
    expect(window.locator(".log li")).to_have_count(1, timeout=15_000)
    expect(window.locator(".log li")).to_contain_text("Other")
    windows.close()
    server.kill()
    assert windows.complaints == []


@pytest.fixture
def closed(browser):
    server = Server(PROGRAM, environment={"HEADWATER_TOKEN": "a-token-for-the-test"})
    windows = Windows(browser, server)
    windows.allows_refusals = True
    yield server, windows
    windows.close()
    server.kill()
    assert windows.complaints == []


def test_a_token_is_requested_and_kept_for_the_session_only(closed):
    server, windows = closed
    window = windows.open("user")
    dialog = window.locator("dialog.ask")
    expect(dialog).to_be_visible()
    dialog.get_by_label("Token").fill("a-wrong-one")
    dialog.get_by_role("button").click()
    expect(dialog.locator(".problem")).to_contain_text("refuses this token")
    dialog.get_by_label("Token").fill("a-token-for-the-test")
    dialog.get_by_role("button").click()
    expect(dialog).to_be_hidden()
    window.get_by_label("Name", exact=True).fill("Ada")
    window.get_by_role("button", name="Log in").click()
    expect(window.locator("#user-title")).to_have_text("Ada")
    kept = window.evaluate("({ session: Object.values(sessionStorage), local: localStorage.length, cookie: document.cookie })")
    assert kept == {"session": ["a-token-for-the-test"], "local": 0, "cookie": ""}
    assert "a-token-for-the-test" not in window.content()
    window.reload()
    expect(window.locator("#user-title")).to_have_text("Ada")
    # Another tab of the same browser has its own session.
    other = windows.tab(window.context, "user")
    expect(other.locator("dialog.ask")).to_be_visible()


def test_the_dialog_cannot_be_dismissed_without_a_token(closed):
    _, windows = closed
    window = windows.open("overview")
    expect(window.locator("dialog.ask")).to_be_visible()
    window.keyboard.press("Escape")
    expect(window.locator("dialog.ask")).to_be_visible()


def test_a_space_outside_the_token_is_reported(browser, tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text(f"{hashlib.sha256(b'for alice').hexdigest()} act alice-*\n")
    server = Server(PROGRAM, arguments=["--tokens", str(tokens)])
    windows = Windows(browser, server)
    windows.allows_refusals = True
    window = windows.open("user", "alice-1")
    window.locator("dialog.ask").get_by_label("Token").fill("for alice")
    window.locator("dialog.ask").get_by_role("button").click()
    expect(window.locator("#user-title")).to_have_text("Logged out")
    window.get_by_label("Space").fill("bob")
    window.get_by_label("Space").press("Enter")
    expect(window.locator("#away")).to_contain_text("not valid for the space bob")
    window.get_by_label("Space").fill("alice-2")
    window.get_by_label("Space").press("Enter")
    expect(window.locator("#away")).to_be_hidden()
    expect(window.locator("#standing-text")).to_have_text("Live")
    windows.close()
    server.kill()
    assert windows.complaints == []


def test_a_hidden_page_closes_its_streams(windows, server, space):
    window = windows.browser.new_context()
    windows.contexts.append(window)
    window = window.new_page()
    window.clock.install()
    window.goto(f"{server.url}/#/{space}/user")
    expect(window.locator("#user-title")).to_have_text("Logged out")
    open_streams = server.figure("headwater_streams_active")
    look = """(isHidden) => {
        Object.defineProperty(document, 'hidden', { value: isHidden, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
    }"""
    window.evaluate(look, True)
    window.clock.fast_forward(61_000)
    # The page requests the next metrics after the server has closed the streams.
    assert eventually(lambda: server.figure("headwater_streams_active") < open_streams)
    server.act("user/logIn", {"name": "Ada"}, space)
    window.evaluate(look, False)
    expect(window.locator("#user-title")).to_have_text("Ada")
