"""The time line: every page at an earlier version, and what changed between two."""

from playwright.sync_api import expect


def test_the_slider_shows_each_page_at_that_version(windows, server, space):
    server.act("user/logIn", {"name": "Ada"}, space)
    server.act("user/save", {"name": "Bea"}, space)
    server.act("cart/add", {"productId": 2}, space)
    window = windows.open("user", space)
    expect(window.locator("#user-title")).to_have_text("Bea")
    window.get_by_role("button", name="Time line").click()
    slider = window.get_by_role("slider", name="Version")
    expect(window.locator(".time output")).to_contain_text("the present, version 3")
    slider.fill("1")
    expect(window.locator("#user-title")).to_have_text("Ada")
    expect(window.locator("#standing-text")).to_have_text("Version 1")
    expect(window.locator(".time output")).to_contain_text("version 1 of 3, user/logIn")
    slider.press("ArrowLeft")
    expect(window.locator("#user-title")).to_have_text("Logged out")
    # Another page shows the same version.
    window.get_by_role("link", name="Shop").click()
    expect(window.locator(".cart .empty, .empty").first).to_be_visible()
    expect(window.locator("#standing-text")).to_have_text("Version 0")
    window.get_by_role("button", name="Present").click()
    expect(window.locator("#standing-text")).to_have_text("Live")
    expect(window.locator(".cart tbody tr")).to_have_count(1)
    # The present goes on.
    server.act("cart/add", {"productId": 3}, space)
    expect(window.locator(".cart tbody tr")).to_have_count(2)
    expect(window.locator(".time output")).to_contain_text("the present, version 4")


def test_two_versions_are_compared(windows, server, space):
    server.act("user/logIn", {"name": "Ada"}, space)
    server.act("cart/add", {"productId": 2}, space)
    window = windows.open("overview", space)
    window.get_by_role("button", name="Time line").click()
    expect(window.locator(".time [role=status]")).to_contain_text("Between version 1 and version 2")
    expect(window.get_by_role("list", name="What changed")).to_contain_text("cart.totalPrice")
    expect(window.get_by_role("list", name="What changed")).not_to_contain_text("user.title")
    window.get_by_label("Compare with version").fill("0")
    window.get_by_label("Compare with version").press("Enter")
    expect(window.get_by_role("list", name="What changed")).to_contain_text('replace the value: "Ada"')
    window.get_by_role("button", name="Time line").click()
    expect(window.locator("#time")).to_be_hidden()
    expect(window.locator("#standing-text")).to_have_text("Live")


def test_another_space_begins_at_its_present(windows, server, space):
    server.act("user/logIn", {"name": "Ada"}, space)
    other = f"{space}-other"
    server.act("user/logIn", {"name": "Cyd"}, other)
    server.act("user/logOut", {}, other)
    window = windows.open("user", space)
    window.get_by_role("button", name="Time line").click()
    slider = window.get_by_role("slider", name="Version")
    slider.fill("0")
    expect(window.locator("#user-title")).to_have_text("Logged out")
    window.goto(f"{windows.server.url}/#/{other}/user")
    expect(window.locator(".time output")).to_contain_text("the present, version 2")
    slider.fill("1")
    expect(window.locator("#user-title")).to_have_text("Cyd")
