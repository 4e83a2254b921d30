"""Each page, used like a person does."""

import re

import pytest
from playwright.sync_api import expect

PAGES = ["overview", "actions", "graph", "changes", "tables", "features", "rules", "user", "shop", "luthier", "feed", "streams", "spaces", "subjects", "audit", "health"]


@pytest.mark.parametrize("page", PAGES)
def test_each_page_opens_without_an_error(windows, space, page):
    window = windows.open(page, space)
    expect(window.locator("article h1")).to_be_visible()
    expect(window.locator("#standing-text")).to_have_text("Live")
    expect(window.locator("nav a[aria-current=page]")).to_have_count(1)


def test_a_page_without_its_feature_is_not_offered(windows, server, space):
    window = windows.open("overview", space)
    expect(window.locator("#nav a").first).to_be_visible()
    features = {feature["name"] for feature in server.get("/v1")["features"]}
    offered = {text.lower() for text in window.locator("#nav a").all_inner_texts()}
    for page, feature in {"user": "user", "shop": "cart", "luthier": "luthier", "feed": "feed", "streams": "streams"}.items():
        assert (page in offered) == (feature in features)


def test_overview_shows_each_view_and_highlights_changes(windows, server, space):
    window = windows.open("overview", space)
    expect(window.locator(".views li")).to_have_count(sum(len(one["views"]) for one in server.get("/v1")["features"]))
    title = window.locator("section[aria-labelledby=feature-user] li", has_text="title").locator(".value")
    expect(title).to_have_text("Logged out")
    server.act("user/logIn", {"name": "Grace"}, space)
    expect(title).to_have_text("Grace")
    expect(title).to_have_class(re.compile("flash"))
    expect(window.locator(".flow")).to_contain_text("user/logIn")
    expect(window.locator(".tile", has_text="Version").locator(".big")).to_have_text("1")
    expect(window.locator(".tile", has_text="Health").locator(".big")).to_have_text("Ready")


def test_overview_counts_the_streams_of_the_server(windows, space):
    window = windows.open("overview", space)
    streams = window.locator(".tile", has_text="Connected streams").locator(".big")
    expect(streams).to_have_text(re.compile("[1-9]"), timeout=10_000)


def test_a_view_shows_the_commits_behind_its_value(windows, server, space):
    server.act("user/logIn", {"name": "Ada"}, space)
    server.act("cart/add", {"productId": 2, "quantity": 3}, space)
    window = windows.open("overview", space)
    window.locator(".views button", has_text="numberOfItems").click()
    dialog = window.locator("dialog.inspector")
    expect(dialog.locator("pre")).to_have_text("3")
    expect(dialog.locator(".why")).to_contain_text("cart/add")
    expect(dialog.locator(".why")).to_contain_text('{"productId":2,"quantity":3}')
    expect(dialog.locator(".why")).not_to_contain_text("user/logIn")
    expect(dialog.locator(".curl").first).to_contain_text(f"/v1/spaces/{space}/cart/numberOfItems")
    server.act("cart/increment", {"productId": 2}, space)
    expect(dialog.locator("pre")).to_have_text("4")
    expect(dialog.locator(".why")).to_contain_text("cart/increment")
    window.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def test_there_is_a_form_for_every_action(windows, server, space):
    window = windows.open("actions", space)
    expect(window.locator("form.action")).to_have_count(sum(len(one["actions"]) for one in server.get("/v1")["features"]))
    quantity = window.get_by_label("quantity")
    assert (quantity.get_attribute("min"), quantity.get_attribute("max")) == ("1", "999")


def test_a_refusal_is_shown_at_its_field_and_the_curl_line_has_the_request(windows, server, space):
    windows.allows_refusals = True
    window = windows.open("actions", space)
    form = window.locator("form.action[aria-label='cart add']")
    form.get_by_label("productId").fill("1")
    form.get_by_label("quantity").fill("1000")
    expect(form.locator(".curl code")).to_contain_text('\'{"productId":1,"quantity":1000}\'')
    form.get_by_role("button", name="add").click()
    field = form.locator(".field", has=window.get_by_label("quantity"))
    expect(field.locator(".problem")).to_contain_text("999")
    expect(form.get_by_label("quantity")).to_have_attribute("aria-invalid", "true")
    expect(form.get_by_label("quantity")).to_be_focused()
    assert server.get(f"/v1/spaces/{space}")["version"] == 0
    form.get_by_label("quantity").fill("2")
    form.get_by_role("button", name="add").click()
    expect(form.locator("output")).to_contain_text("changed cart.orders")
    expect(field.locator(".problem")).to_have_text("")
    assert server.get(f"/v1/spaces/{space}/cart/numberOfItems") == 2


def test_few_values_are_offered_as_a_choice(windows, space):
    window = windows.open("actions", space)
    shape = window.locator("form.action[aria-label='luthier select']").get_by_label("shape")
    expect(shape.locator("option")).to_have_text(["–", "casual", "chunky", "longV", "sharpV"])


def test_graph_highlights_the_path_of_a_commit(windows, server, space):
    window = windows.open("graph", space)
    expect(window.locator(".node.view", has_text="user.title")).to_be_visible()
    expect(window.locator(".node.lit")).to_have_count(0)
    server.act("user/logIn", {"name": "Ada"}, space)
    expect(window.locator(".node.lit", has_text="user.title")).to_have_count(1)
    expect(window.locator(".node.variable.lit")).to_have_count(2)
    expect(window.locator(".told")).to_contain_text("user/logIn")
    expect(window.locator(".node.lit", has_text="cart.orders")).to_have_count(0)
    # The title has changed and the log-in state has not: the path to the latter ends.
    server.act("user/save", {"name": "Ada King"}, space)
    expect(window.locator(".node.variable.lit")).to_have_count(1)
    expect(window.locator(".node.view.lit")).to_have_count(2)
    server.act("catalog/setDiscount", {"rate": 0.2}, "common")
    expect(window.locator(".node.variable.lit", has_text="catalog.discountRate")).to_have_count(1)
    server.act("catalog/setDiscount", {"rate": 0.1}, "common")


def test_graph_claims_no_view_for_an_unseen_commit(windows, server, space):
    server.act("cart/add", {"productId": 1}, space)
    server.act("cart/increment", {"productId": 1}, space)
    window = windows.open("graph", space)
    told = window.locator(".told")
    expect(told).to_contain_text("made version 2")
    # The number of items changed, but not that of products: a page opened later cannot know.
    expect(told).not_to_contain_text(re.compile(r"; (?!this page was not open yet to see which of)[^;]*came out"))
    expect(window.locator(".node.view.lit")).to_have_count(0)
    expect(window.locator(".node.view.asked", has_text="cart.numberOfProducts")).to_have_count(1)
    server.act("cart/increment", {"productId": 1}, space)
    expect(told).to_contain_text("made version 3")
    expect(window.locator(".node.view.lit", has_text="cart.numberOfItems")).to_have_count(1)
    expect(window.locator(".node.view.lit", has_text="cart.numberOfProducts")).to_have_count(0)


def test_an_action_of_an_effect_is_not_offered(windows, server, space):
    window = windows.open("overview", space)
    flow = window.locator(".flow")
    server.act("luthier/checkout", space=space)
    # The workshop's answer is a commit of an effect.
    expect(window.locator(".tile", has_text="Version").locator(".big")).to_have_text("2", timeout=10_000)
    last = server.get(f"/v1/spaces/{space}/changes?since=1")[0]["action"]
    assert last not in {f"{feature['name']}/{action['name']}" for feature in server.get("/v1")["features"] for action in feature["actions"]}
    expect(flow).to_contain_text(last)
    expect(flow).not_to_contain_text("A client posts it")
    window.goto(f"{server.url}/#/{space}/changes")
    rows = window.locator(".log li")
    expect(rows).to_have_count(2)
    expect(rows.first.locator("summary .tag")).to_have_text("effect")
    expect(rows.last.locator("summary .tag")).to_have_count(0)
    server.act("user/logIn", {"name": "Ada"}, space)
    window.goto(f"{server.url}/#/{space}/overview")
    expect(flow).to_contain_text("A client posts it")


def test_graph_explains_a_view_by_keyboard(windows, server, space):
    server.act("user/logIn", {"name": "Ada"}, space)
    window = windows.open("graph", space)
    node = window.get_by_role("button", name="view user.title", exact=True)
    node.focus()
    window.keyboard.press("Enter")
    expect(window.locator("dialog.inspector .why")).to_contain_text("user/logIn")


def test_changes_are_live_filtered_and_opened(windows, server, space):
    server.act("user/logIn", {"name": "Ada"}, space)
    window = windows.open("changes", space)
    rows = window.locator(".log li")
    expect(rows).to_have_count(1)
    server.act("cart/add", {"productId": 3}, space)
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("cart/add")
    window.get_by_label("Filter").fill("ada")
    expect(rows).to_have_count(1)
    window.get_by_label("Filter").fill("")
    window.get_by_label("Feature").select_option("cart")
    expect(rows).to_have_count(1)
    rows.first.locator("summary").click()
    expect(rows.first.locator(".facts")).to_contain_text("by entry")
    expect(rows.first.locator(".facts")).to_contain_text('"quantity": 1')
    window.get_by_label("Follow").uncheck()
    server.act("cart/add", {"productId": 3}, space)
    expect(window.locator("article")).to_contain_text("1 more have come")
    expect(rows).to_have_count(1)


def test_the_wire_shows_the_requests_of_the_page(windows, space):
    window = windows.open("user", space)
    window.get_by_label("Name", exact=True).fill("Ada")
    window.get_by_role("button", name="Log in").click()
    expect(window.locator("#tape .last")).to_have_text(
        f"curl --json '{{\"name\":\"Ada\"}}' {windows.server.url}/v1/spaces/{space}/user/logIn")
    window.locator("#tape summary").click()
    expect(window.locator("#tape li").first).to_contain_text("200")


def test_a_removed_product_can_only_be_taken_out(windows, server, space):
    server.act("catalog/put", {"id": 4242, "name": "A name that goes on " * 8, "price": 9999999999.99}, "common")
    server.act("cart/add", {"productId": 4242, "quantity": 2}, space)
    window = windows.open("shop", space)
    card = window.locator(".product", has_text="A name that goes on")
    right = lambda locator: (box := locator.bounding_box())["x"] + box["width"]
    assert right(card.locator("button")) < right(card)
    server.act("catalog/remove", {"id": 4242}, "common")
    expect(window.locator(".cart tbody th")).to_have_text("This product (gone)")
    expect(window.get_by_role("button", name="One gone product more")).to_be_disabled()
    window.get_by_role("button", name="One gone product fewer").click()
    expect(window.locator(".cart tbody b")).to_have_text("1")


def test_luthier_builds_checks_out_and_orders(windows, server, space):
    window = windows.open("luthier", space)
    window.get_by_role("radio", name="Sky").check()
    window.get_by_role("radio", name="Koa").check()
    window.get_by_role("radio", name="Birdseye Maple").check()
    expect(window.locator(".description")).to_have_text("Sky Casual with Koa body and Birdseye Maple fretboard")
    expect(window.get_by_role("img", name="Sky Casual with Koa")).to_be_visible()
    window.get_by_role("button", name="Check out for $2,330.00").click()
    sheet = window.locator("dialog.sheet")
    expect(sheet).to_be_visible()
    sheet.get_by_role("radio", name="Express").check()
    expect(sheet.locator("dd.pay").first).to_have_text("$2,580.00")
    sheet.get_by_role("radio", name="EUR").click()
    expect(sheet.locator("dd.pay").first).to_have_text("€2,322.00")
    sheet.get_by_role("button", name="Order for €2,322.00").click()
    expect(sheet.locator(".receipt")).to_contain_text("€2,322.00")
    expect(sheet.locator(".confetti i").first).to_be_attached()
    sheet.get_by_role("button", name="Build another").click()
    expect(sheet).to_be_hidden()


def test_luthier_is_opened_while_a_checkout_is_open(windows, server, space):
    server.act("luthier/checkout", space=space)
    first = windows.open("luthier", space)
    expect(first.locator("dialog.sheet")).to_be_visible(timeout=10_000)
    # The console opens another page first, so that the views arrive before this page.
    window = windows.open("overview", space)
    expect(window.locator(".views li").first).to_be_visible()
    window.goto(f"{windows.server.url}/#/{space}/luthier")
    expect(window.locator("dialog.sheet")).to_be_visible()
    expect(window.locator(".pickers")).to_be_attached()
    window.locator("dialog.sheet").get_by_role("button", name="Close").click()
    for one in (first, window):
        expect(one.locator("dialog.sheet")).to_be_hidden()
        expect(one.get_by_role("button", name="Check out for")).to_be_visible()


@pytest.mark.parametrize("address", ["%/x", "main/%E0%A4%A", "main/nonsense"])
def test_an_address_without_a_page_is_reported(windows, space, address):
    window = windows.open("overview", space)
    window.goto(f"{windows.server.url}/#/{address}")
    expect(window.locator("article h1")).to_have_text("No such page")
    expect(window.locator("nav a[aria-current=page]")).to_have_count(0)
    window.get_by_role("link", name="To the overview").click()
    expect(window.locator("article h1")).to_contain_text("Actions go in")
    fresh = windows.open()
    fresh.goto(f"{windows.server.url}/#/{address}")
    fresh.reload()
    expect(fresh.locator("article h1")).to_have_text("No such page")


def test_feed_refuses_an_invalid_repository_at_its_field(windows, space):
    windows.allows_refusals = True
    window = windows.open("feed", space)
    expect(window.locator(".empty")).to_be_visible()
    repository = window.get_by_role("textbox", name="Repository")
    repository.fill("nonsense")
    window.get_by_role("form", name="Follow a repository").get_by_role("button").click()
    expect(repository).to_have_attribute("aria-invalid", "true")


def test_common_shows_its_own_features_only(windows, server):
    window = windows.open("overview", "common")
    expect(window.locator("section[aria-labelledby=feature-catalog] .value").first).to_have_text("5 items")
    expect(window.locator("section[aria-labelledby=feature-user]")).to_have_count(0)
    expect(window.get_by_role("link", name="Shop")).to_have_count(0)


def test_a_space_is_selected_by_name(windows, server, space):
    server.act("user/logIn", {"name": "Elsewhere"}, f"{space}-b")
    window = windows.open("user", space)
    expect(window.locator("#user-title")).to_have_text("Logged out")
    window.get_by_label("Space").fill(f"{space}-b")
    window.get_by_label("Space").press("Enter")
    expect(window.locator("#user-title")).to_have_text("Elsewhere")
    assert f"#/{space}-b/user" in window.url
