"""Two windows on one space stay equal in both directions."""

from playwright.sync_api import expect


def test_a_name_entered_in_one_window_is_the_title_of_both(windows, space):
    one, other = windows.open("user", space), windows.open("user", space)
    one.get_by_label("Name", exact=True).fill("Ada")
    one.get_by_role("button", name="Log in").click()
    expect(other.locator("#user-title")).to_have_text("Ada")
    expect(one.locator("#user-title")).to_have_text("Ada")
    other.get_by_role("button", name="Log out").click()
    expect(one.locator("#user-title")).to_have_text("Logged out")
    expect(one).to_have_title("Logged out · User · Headwater")


def test_a_cart_fills_and_empties_in_both_windows(windows, server, space):
    one, other = windows.open("shop", space), windows.open("shop", space)
    one.get_by_role("button", name="Add Notebook to the cart").click()
    expect(other.locator(".cart tbody tr")).to_have_count(1)
    other.get_by_role("button", name="One Notebook more").click()
    expect(one.locator(".steps b")).to_have_text("2")
    expect(one.locator("dd.pay")).to_have_text("21.60")
    one.get_by_text("Manage the catalog").click()
    one.get_by_label("Discount for all spaces").fill("0.5")
    expect(other.locator("dd.pay")).to_have_text("12.00")
    server.act("catalog/setDiscount", {"rate": 0.1}, "common")
    other.get_by_role("button", name="Clear").click()
    expect(one.locator(".empty")).to_be_visible()


def test_a_guitar_and_its_checkout_are_the_same_in_both_windows(windows, space):
    one, other = windows.open("luthier", space), windows.open("luthier", space)
    one.get_by_role("radio", name="Sharp V").check()
    expect(other.get_by_role("radio", name="Sharp V")).to_be_checked()
    other.get_by_role("radio", name="Dusk").check()
    expect(one.locator(".description")).to_have_text("Dusk Sharp V with Mahogany body and Rosewood fretboard")
    one.get_by_role("button", name="Check out").click()
    expect(other.locator("dialog.sheet")).to_be_visible()
    other.locator("dialog.sheet").get_by_role("button", name="Close").click()
    expect(one.locator("dialog.sheet")).to_be_hidden()


def test_three_tabs_of_one_browser_all_live(windows, server, space):
    # A browser allows six connections to a server: each tab must leave some for the others' requests.
    first = windows.open("overview", space)
    tabs = [first, windows.tab(first.context, "changes", space), windows.tab(first.context, "user", space)]
    tabs[2].get_by_label("Name", exact=True).fill("Ada")
    tabs[2].get_by_role("button", name="Log in").click()
    expect(tabs[2].locator("#user-title")).to_have_text("Ada")
    expect(tabs[1].locator(".log li")).to_have_count(1)
    expect(tabs[0].locator(".flow")).to_contain_text("user/logIn")
