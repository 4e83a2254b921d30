"""Streams as data: tried, checked, saved, played."""

from playwright.sync_api import expect


def choose(window, name):
    window.locator(".definitions button", has_text=name).click()


def test_a_join_is_tried_in_virtual_time_beside_its_sources(windows, space):
    window = windows.open("streams", space)
    choose(window, "Zip Stream")
    window.get_by_role("button", name="Try in virtual time").click()
    lines = window.locator(".marbles .line")
    expect(lines).to_have_count(3)
    expect(lines.nth(0).locator(".marble")).to_have_count(4)
    expect(lines.nth(2).locator(".marble title")).to_have_text(['[1,"A"]', '[2,"B"]', '[3,"C"]', '[4,"D"]'])
    expect(lines.nth(2).locator(".end")).to_have_count(1)
    expect(window.get_by_label("The delivered values")).to_contain_text("8 s of its time took")


def test_each_operator_of_a_chain_has_a_line(windows, space):
    window = windows.open("streams", space)
    window.get_by_role("button", name="New").click()
    window.get_by_role("button", name="Try in virtual time").click()
    lines = window.locator(".marbles .line")
    expect(lines.locator(".title").first).to_contain_text("a")
    expect(lines).to_have_count(3)
    expect(lines.nth(1).locator(".marble")).to_have_count(2)
    expect(lines.nth(2).locator(".marble title")).to_have_text(["20", "40"])


def test_faults_are_marked_at_their_places(windows, server, space):
    windows.allows_refusals = True
    window = windows.open("streams", space)
    window.get_by_role("button", name="New").click()
    editor = window.get_by_label("Definition", exact=True)
    text = editor.input_value()
    editor.fill(text.replace("value % 2", "valu % 2").replace('"map"', '"mop"'))
    window.get_by_role("button", name="Save").click()
    expect(window.locator(".under mark")).to_have_text(['"expression": "valu % 2 == 0"', '"mop": { "expression": "value * 10" }'])
    expect(window.locator(".faults li").first).to_contain_text("Line 7")
    expect(editor).to_have_attribute("aria-invalid", "true")
    editor.fill(text[:-3])
    window.get_by_role("button", name="Try in virtual time").click()
    expect(window.locator(".faults li")).to_contain_text("ends before")
    editor.fill(text)
    expect(window.locator(".faults li")).to_have_count(0)


def test_a_definition_saved_in_one_window_is_in_the_other(windows, server, space):
    one, other = windows.open("streams", space), windows.open("streams", space)
    expect(other.locator(".definitions button", has_text="Zip Stream")).to_be_visible()
    one.get_by_role("button", name="New").click()
    one.get_by_role("button", name="Save").click()
    mine = other.locator(".definitions button", has_text="Mine")
    expect(mine).to_be_visible()
    assert server.get(f"/v1/spaces/{space}/streams/mine")["source"] == {"ref": "a"}
    mine.click()
    other.get_by_role("button", name="Delete").click()
    expect(one.locator(".definitions button", has_text="Mine")).to_have_count(0)


def test_a_stream_is_played_and_ends(windows, space):
    window = windows.open("streams", space)
    choose(window, "Serial Stream A")
    window.get_by_role("button", name="Play").click()
    expect(window.locator(".heard")).to_contain_text("1")
    moved = window.locator(".live > g > g").first
    before = moved.get_attribute("transform")
    expect(window.locator(".heard li")).to_have_text(["1", "2", "3", "4", "end"], timeout=10_000)
    assert moved.get_attribute("transform") != before
    expect(window.get_by_role("button", name="Play")).to_be_enabled()


def test_two_windows_join_one_shared_run(windows, space):
    one, other = windows.open("streams", space), windows.open("streams", space)
    for window in (one, other):
        choose(window, "Serial Stream B")
        window.get_by_role("button", name="Join the shared run").click()
    for window in (one, other):
        expect(window.locator(".heard li").last).to_have_text("end", timeout=15_000)
    # The window that joined later has missed earlier values.
    assert one.locator(".heard li").all_inner_texts()[-3:] == other.locator(".heard li").all_inner_texts()[-3:]


def test_a_stream_over_a_live_view_is_tried_with_inputs_and_played_with_the_view(windows, server, space):
    window = windows.open("streams", space)
    expect(window.locator(".marbles")).to_be_visible()
    window.get_by_label("Definition", exact=True).fill(
        '{"id": "items", "source": {"view": "cart.numberOfItems"}, "operators": [{"filter": {"expression": "value > 0"}}]}')
    window.get_by_role("button", name="Save").click()
    choose(window, "items")
    window.get_by_text("Inputs: the values of views").click()
    window.get_by_role("button", name="Try in virtual time").click()
    expect(window.locator(".marbles .line.result .marble")).to_have_count(2)
    window.get_by_role("button", name="Play").click()
    server.act("cart/add", {"productId": 1, "quantity": 7}, space)
    expect(window.locator(".heard li")).to_have_text(["7"])
    window.get_by_role("button", name="Stop").click()
