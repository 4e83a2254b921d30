"""The pages "Your first app" and "Your second app", typed as they are written, in a browser."""

import json
import socket
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import expect

from tutorial import ROOT, Process, Tutorial, run, words

PATIENCE_MILLISECONDS = 20_000


@pytest.fixture
def processes():
    begun = []

    def begin(arguments, folder):
        begun.append(Process(arguments, folder))
        return begun[-1]

    yield begin
    for process in reversed(begun):
        process.close()


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def replace(path, old, new):
    text = path.read_text()
    assert text.count(old) == 1, (old, text)
    path.write_text(text.replace(old, new))


def test_the_first_app_works_as_written(browser, processes, tmp_path):
    page = Tutorial("first-app.md")
    app = processes([*words(page.line("headwater dev")[0]), "--port", "0"], tmp_path)
    windows = []
    for _ in range(2):
        windows.append(browser.new_context().new_page())
        windows[-1].goto(app.url)
    windows[0].get_by_role("button", name="+").click()
    for window in windows:
        expect(window.locator("#count")).to_have_text("1")
    # Let `+` add ten: the test of the document fails, with both values.
    document = tmp_path / "counter" / "app.json"
    (changed,) = [block for block in page.others if block.startswith('"add"')]
    replace(document, '"add": {"do": [{"set": "count", "to": "state.count + 1"}]},', changed.strip())
    for window in windows:
        expect(window.locator("#headwater-faults")).to_contain_text("counter.count is 20, not 2", timeout=PATIENCE_MILLISECONDS)
    replace(document, '{"expect": {"count": 2}}', '{"expect": {"count": 20}}')
    replace(document, '{"expect": {"count": 1}}', '{"expect": {"count": 19}}')
    for window in windows:
        expect(window.locator("#headwater-faults")).to_have_count(0, timeout=PATIENCE_MILLISECONDS)
        expect(window.locator("#count")).to_have_text("1")
    windows[1].get_by_role("button", name="+").click()
    for window in windows:
        expect(window.locator("#count")).to_have_text("11")
    assert (tmp_path / "counter" / ".vscode" / "settings.json").exists()
    # The same folder without `dev`.
    plain = processes([*words(page.line("headwater --features")[0]), "--port", "0", "--memory"], tmp_path)
    windows[0].goto(plain.url)
    windows[0].get_by_role("button", name="+").click()
    expect(windows[0].locator("#count")).to_have_text("10")


@pytest.fixture
def diary(processes, tmp_path):
    """The second app as its page writes it, and its provider, on ports of their own."""
    page = Tutorial("second-app.md")
    provider_line = page.line("python3 Examples/provider.py")[0]
    provider = processes([*words(provider_line), "--port", str(free_port())], ROOT)
    changes = [("http://127.0.0.1:9000", provider.url)]
    page.write(tmp_path, changes)
    line, said = page.line("headwater test")
    assert run(line, tmp_path) == said
    app = processes([*words(page.line("headwater dev diary")[0], changes), "--port", "0"], tmp_path)
    return app, provider


def signed_in(browser, app, name):
    window = browser.new_context().new_page()
    complaints = []
    window.on("pageerror", lambda error: complaints.append(str(error)))
    window.goto(app.url)
    window.get_by_role("button", name="Sign in").click()
    window.get_by_role("button", name=name).click()
    expect(window.locator("#who")).to_have_text(name)
    # The code is in no address, and so in no history.
    assert "code=" not in window.url and window.url.rstrip("/") == app.url.rstrip("/")
    assert complaints == []
    return window


def test_the_second_app_works_as_written(browser, diary):
    app, _ = diary
    ada, bob, eve = (signed_in(browser, app, name) for name in ("ada", "bob", "eve"))
    ada.get_by_label("Text").fill("of ada")
    ada.get_by_role("button", name="Write").click()
    expect(ada.locator("#mine li")).to_contain_text("of ada")
    bob.get_by_label("Text").fill("of bob")
    bob.get_by_role("button", name="Write").click()
    expect(bob.locator("#mine li")).to_have_count(1)
    expect(ada.locator("#mine li")).to_have_count(1)
    ada.locator("#mine").get_by_role("button", name="share").click()
    for window in (ada, bob, eve):
        expect(window.locator("#shared li")).to_contain_text("of ada")
    bob.locator("#shared").get_by_role("button", name="remove").click()
    expect(bob.get_by_role("status")).not_to_be_empty()
    expect(ada.locator("#shared li")).to_have_count(1)
    eve.locator("#shared").get_by_role("button", name="remove").click()
    for window in (ada, bob, eve):
        expect(window.locator("#shared li")).to_have_count(0)
    # After the sign-out nothing of the person is left in the page.
    ada.get_by_role("button", name="Sign out").click()
    expect(ada.get_by_role("button", name="Sign in")).to_be_visible()
    assert ada.evaluate("sessionStorage.token") is None
    ada.get_by_role("button", name="Sign in").click()
    ada.get_by_role("button", name="bob").click()
    expect(ada.locator("#mine li")).to_contain_text("of bob")


def answer(url, form=None):
    try:
        with urllib.request.urlopen(url, data=form.encode() if form else None, timeout=10) as told:
            return told.status, json.load(told)
    except urllib.error.HTTPError as refused:
        return refused.code, json.load(refused)


def test_a_sign_in_that_is_not_of_this_tab_gives_no_token(browser, diary):
    app, provider = diary
    window = browser.new_context().new_page()
    window.goto(f"{app.url}/auth/callback?code=stolen&state=other")
    expect(window.get_by_role("status")).to_contain_text("no answer to a sign-in of this tab")
    assert window.evaluate("sessionStorage.token") is None
    expect(window.get_by_role("button", name="Sign in")).to_be_visible()
    # A code without its verifier is worth nothing, and the server takes no token of its own making.
    assert answer(f"{provider.url}/token", "grant_type=authorization_code&code=x&code_verifier=y") == (400, {"error": "invalid_grant"})
    assert answer(f"{provider.url}/authorize?response_type=code&client_id=diary&redirect_uri=http://127.0.0.1/")[0] == 400
    status, _ = answer(f"{app.url}/v1/spaces/main/diary/mine")
    assert status == 401


def test_the_policy_of_the_page_permits_the_provider_alone(browser, diary):
    app, provider = diary
    window = browser.new_context().new_page()
    told = window.goto(app.url)
    policy = told.headers["content-security-policy"]
    assert provider.url in policy and "connect-src 'self'" in policy
    blocked = window.evaluate("fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'refused')")
    assert blocked == "refused"
