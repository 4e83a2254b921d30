"""The playground of rules: claims, a view or an action, the answer and the rule that decided."""

import hashlib
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import expect

from conftest import PROGRAM
from server import Server
from tutorial import Tutorial


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rules")
    Tutorial("second-app.md").write(folder)
    server = Server(PROGRAM, arguments=["--examples", "none", "--features", str(folder / "diary")])
    yield server
    server.kill()


def choose(window, subject, claims=None):
    if claims is not None:
        window.get_by_label("Claims").fill(claims)
    window.get_by_label("View or action").select_option(subject)


def press(window):
    window.get_by_role("button", name="Test the rules").click()


def test_the_claims_decide_and_the_rule_is_named(windows, space):
    window = windows.open("rules", space)
    answer = window.get_by_role("region", name="Answer")
    choose(window, "view diary.count", '{"sub": "bob"}')
    press(window)
    expect(answer).to_contain_text("Refused 403")
    expect(answer.locator("[data-part=reason]")).to_contain_text("diary/views/count/allow: isEditor()")
    choose(window, "view diary.count", '{"sub": "eve", "role": "editor"}')
    press(window)
    expect(answer).to_contain_text("Allowed 200")
    expect(answer.get_by_role("region", name="Value")).to_have_text("0")
    expect(answer).to_contain_text("diary/views/count/allow")


def test_an_action_is_rehearsed_and_nothing_is_kept(windows, server, space):
    window = windows.open("rules", space)
    answer = window.get_by_role("region", name="Answer")
    window.get_by_label("Caller").select_option("none")
    choose(window, "action diary/write")
    window.get_by_label("text", exact=True).fill("a page")
    press(window)
    expect(answer.locator("[data-part=reason]")).to_contain_text("diary/allow/act")
    choose(window, "action diary/write", '{"sub": "ada"}')
    window.get_by_label("text", exact=True).fill("a page")
    press(window)
    expect(answer).to_contain_text("Allowed 200")
    assert server.get(f"/v1/spaces/{space}")["version"] == 0
    # The line of curl does the same.
    expect(window.locator("form .curl, form code").filter(has_text="rules:test").first).to_contain_text("a page")


def test_the_reason_of_a_refused_request_is_told(windows, server, space):
    windows.allows_refusals = True
    request = urllib.request.Request(
        f"{server.url}/v1/spaces/{space}/diary/write", data=b'{"text": "x"}', headers={"Content-Type": "application/json"})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=10)
    assert refused.value.code == 403
    window = windows.open("rules", space)
    window.get_by_label("Request", exact=True).fill(refused.value.headers["X-Request-Id"])
    window.get_by_role("button", name="Say why").click()
    why = window.get_by_role("region", name="Why was a request refused")
    expect(why).to_contain_text("403")
    expect(why.locator("[data-part=reason]")).to_contain_text("diary/allow/act: token.sub != ''")
    window.get_by_label("Request", exact=True).fill("none")
    window.get_by_role("button", name="Say why").click()
    expect(why.get_by_role("alert")).to_contain_text("no request of this name")


def test_faulty_claims_are_marked_and_a_faulty_input_is_explained(windows, space):
    windows.allows_refusals = True
    window = windows.open("rules", space)
    choose(window, "view diary.count", '{"sub": }')
    press(window)
    expect(window.locator(".faults li").first).to_contain_text("Line 1")
    choose(window, "view diary.count", '{"sub": 7}')
    press(window)
    expect(window.locator(".faults li").first).to_contain_text("text")
    choose(window, "action diary/write", '{"sub": "ada"}')
    press(window)
    answer = window.get_by_role("region", name="Answer")
    expect(answer).to_contain_text("Refused 422")
    expect(answer.locator("[data-part=reason]")).to_contain_text("the schema diary/actions/write/input")


def test_390_pixels_and_the_keyboard(windows, space):
    window = windows.open("rules/view/diary.mine", space, viewport={"width": 390, "height": 800})
    expect(window.get_by_label("View or action")).to_have_value("view diary.mine")
    window.get_by_label("Claims").focus()
    window.keyboard.press("Control+A")
    window.keyboard.type('{"sub": "ada"}')
    window.get_by_role("button", name="Test the rules").focus()
    window.keyboard.press("Enter")
    answer = window.get_by_role("region", name="Answer")
    expect(answer).to_contain_text("Each caller has a value of its own")
    assert window.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_token_without_the_right_is_told_so(windows, tmp_path, browser):
    tokens = tmp_path / "tokens"
    tokens.write_text("".join(f"{hashlib.sha256(secret.encode()).hexdigest()} {right} * subject={name}\n"
                              for name, secret, right in (("root", "secret", "admin"), ("ada", "key", "act"))))
    Tutorial("second-app.md").write(tmp_path)
    server = Server(PROGRAM, arguments=["--examples", "none", "--features", str(tmp_path / "diary"), "--tokens", str(tokens)])
    try:
        for secret, words in (("key", "needs the right admin for all spaces"), ("secret", "Refused 403")):
            window = browser.new_context().new_page()
            window.add_init_script(f"sessionStorage.setItem('headwater.token', '{secret}')")
            window.goto(f"{server.url}/console/#/main/rules")
            choose(window, "view diary.count", '{"sub": "bob"}')
            press(window)
            expect(window.locator("main")).to_contain_text(words)
    finally:
        server.kill()
