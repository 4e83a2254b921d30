"""client.js in Chromium: its rules beside a scripted server."""

import base64
import gzip
import json
import pathlib

import pytest

from scripted import CLIENT, PERSONAL, ScriptedServer
from server import eventually

SIZE_LIMIT_BYTES = 10_000
PATIENCE_MILLISECONDS = 20_000
LOAD = """async () => {
    globalThis.client = await import('/client.js');
    globalThis.seen = {};
    globalThis.follow = (name, options) => {
        const view = client.view(name, options), list = [];
        seen[name] = list;
        return [view, view.subscribe((value) => list.push(value))];
    };
}"""


@pytest.fixture
def scripted():
    server = ScriptedServer()
    yield server
    server.stop()


@pytest.fixture
def tabs(browser, scripted):
    """Opens tabs of one browser."""
    context = browser.new_context()
    complaints = []

    def open_tab(script=None):
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MILLISECONDS)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(scripted.url)
        page.evaluate(LOAD)
        if script:
            page.evaluate(script)
        return page

    open_tab.context = context
    yield open_tab
    context.close()
    assert complaints == []


def shows(page, name, value, space="main"):
    page.wait_for_function(
        "([name, space, value]) => JSON.stringify(client.view(name, { space }).get()) === value",
        arg=[name, space, json.dumps(value, separators=(",", ":"))])
    return True


# MARK: Patches

CASES = [json.loads(line) for line in pathlib.Path("Tests/Console/patches.jsonl").read_text().splitlines()]


def test_the_client_is_small_and_has_types(server):
    assert len(gzip.compress(server.head("/client.js")[1])) <= SIZE_LIMIT_BYTES
    types = CLIENT.with_suffix("").with_suffix(".d.ts").read_text()
    for name in [
            "settings", "view", "act", "patch", "signOut", "status", "onRefused", "pending", "retry", "discard", "presence", "eventParser"]:
        assert f"export const {name}" in types or f"export function {name}" in types


def test_patches_apply_as_in_the_public_suite_and_leave_the_document_alone(tabs):
    page = tabs()
    # As text, because a member may have any name.
    results = json.loads(page.evaluate("""(cases) => JSON.stringify(JSON.parse(cases).map(({ document, patch }) => {
        const before = JSON.stringify(document);
        let result;
        try { result = { value: client.patch(document, patch) }; } catch { result = {}; }
        return { ...result, isSame: before === JSON.stringify(document) };
    }))""", json.dumps(CASES)))
    assert len(CASES) > 100
    for case, result in zip(CASES, results):
        assert result["isSame"], case
        assert ("value" in result) == ("result" in case), case
        assert result.get("value") == case.get("result"), case


def test_a_patch_copies_only_the_nodes_on_its_path(tabs):
    page = tabs()
    assert page.evaluate("""() => {
        const before = { rows: [{ id: 1 }, { id: 2 }], other: {} };
        const after = client.patch(before, [{ op: 'replace', path: '/rows/1/id', value: 3 }]);
        return [after !== before, after.rows[0] === before.rows[0], after.rows[1] !== before.rows[1], after.other === before.other];
    }""") == [True] * 4


# MARK: Views

def test_a_view_is_a_store_whose_snapshot_is_the_same_object_until_it_changes(tabs, scripted):
    scripted.set("main", {"cart.orders": [{"id": 1}], "cart.total": 5})
    page = tabs("() => { [globalThis.orders, globalThis.leave] = follow('cart.orders'); globalThis.hadNone = orders.get() === undefined; }")
    assert page.evaluate("client.view('cart.orders') === orders && client.view('cart.orders', { space: 'b' }) !== orders")
    assert page.evaluate("hadNone")
    shows(page, "cart.orders", [{"id": 1}])
    page.evaluate("globalThis.first = orders.get()")
    # Another subscriber changes the watch of the stream.
    page.evaluate("follow('cart.total')")
    shows(page, "cart.total", 5)
    assert page.evaluate("orders.get() === first && seen['cart.orders'].length") == 1
    # A subscriber of a known value is called at once, and the stream is the same.
    assert page.evaluate("(() => { let got; orders.subscribe((value) => { got = value; })(); return got === first; })()")
    assert len(scripted.readers) == 1
    scripted.set("main", {"cart.orders": [{"id": 1}, {"id": 2}]})
    shows(page, "cart.orders", [{"id": 1}, {"id": 2}])
    assert page.evaluate("orders.get()[0] === first[0] && seen['cart.orders'].length") == 2
    page.evaluate("leave()")
    scripted.set("main", {"cart.orders": [], "cart.total": 6})
    shows(page, "cart.total", 6)
    assert page.evaluate("seen['cart.orders'].length") == 2


def test_a_value_that_counts_as_false_is_followed_too(tabs, scripted):
    page = tabs("() => { follow('a.number'); }")
    shows(page, "a.number", 0)
    for value in [1, None, False, "", 0, [], {}, {"": 0}, {"__proto__": 1, "b": {}}, 12]:
        scripted.set("main", {"a.number": value})
        shows(page, "a.number", value)


def test_parameters_in_any_order_and_spelling_are_one_view(tabs, scripted):
    page = tabs()
    page.evaluate("""() => {
        globalThis.card = client.view('board.card', { parameters: { id: "a b&c=d+e/ä!'()*~", x: 1 } });
        globalThis.got = [];
        card.subscribe((value) => got.push(value));
    }""")
    assert page.evaluate("""card === client.view('board.card', { parameters: { x: 1, id: "a b&c=d+e/ä!'()*~" } })""")
    page.wait_for_function("got.length == 1")
    [[watched]] = scripted.watched()
    assert watched.startswith("main/board.card?id=a%20b%26c%3Dd%2Be%2F")


def test_no_tab_sees_half_a_commit(tabs, scripted):
    scripted.set("main", {"a.one": 0, "a.two": 0})
    page = tabs("""() => {
        const one = client.view('a.one'), two = client.view('a.two');
        globalThis.halves = 0;
        const check = () => { if (one.get() !== undefined && two.get() !== undefined && one.get() !== two.get()) halves += 1; };
        one.subscribe(check);
        two.subscribe(check);
    }""")
    shows(page, "a.two", 0)
    for number in range(1, 50):
        scripted.set("main", {"a.one": number, "a.two": number})
    shows(page, "a.two", 49)
    assert page.evaluate("halves") == 0


def test_a_listener_that_throws_does_not_stop_the_others(browser, scripted):
    page = browser.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(scripted.url)
    page.evaluate(LOAD)
    page.evaluate("() => { client.view('a.b').subscribe(() => { throw Error('mine'); }); follow('a.b'); }")
    shows(page, "a.b", 0)
    scripted.set("main", {"a.b": 1})
    shows(page, "a.b", 1)
    page.wait_for_function("seen['a.b'].length == 2")
    assert errors and all("mine" in error for error in errors)
    page.close()


# MARK: Connections

def test_ten_tabs_share_one_stream_and_the_next_leads_when_the_first_closes(tabs, scripted):
    pages = [tabs("() => { follow('cart.orders'); }") for _ in range(10)]
    scripted.set("main", {"cart.orders": [1]})
    for page in pages:
        shows(page, "cart.orders", [1])
    assert eventually(lambda: len(scripted.watched()) == 1)
    # A tab can also act: the streams leave connections free.
    for number, page in enumerate(pages[:7]):
        answer = page.evaluate("client.act('cart/set', { views: { 'cart.count': %d } })" % number)
        assert answer["version"] == number + 2
    pages[0].close()
    scripted.set("main", {"cart.orders": [1, 2]})
    for page in pages[1:]:
        shows(page, "cart.orders", [1, 2])
    for page in pages[1:9]:
        page.close()
    scripted.set("main", {"cart.orders": [1, 2, 3]})
    shows(pages[9], "cart.orders", [1, 2, 3])
    assert eventually(lambda: len(scripted.watched()) == 1)


def test_a_view_beyond_the_limit_has_a_problem_until_there_is_room(tabs, scripted):
    first, second = tabs(), tabs()
    scripted.set("main", {"cart.n": 7})
    first.evaluate("() => { globalThis.ends = [...Array(1000).keys()].map((n) => client.view('cart.n', { parameters: { n } }).subscribe(() => {})); }")
    assert eventually(lambda: [len(watched) for watched in scripted.watched()] == [1000])
    second.evaluate("""() => {
        globalThis.last = client.view('cart.n', { parameters: { n: 'last' } });
        last.subscribe(() => {}, (problem) => { globalThis.problem = problem; });
    }""")
    second.wait_for_function("() => globalThis.problem")
    assert second.evaluate("[problem.status, problem.type, last.status]") == [422, "/problems/too-many-views", "gone"]
    first.evaluate("ends[5]()")
    second.wait_for_function("() => last.status === 'live'")
    assert second.evaluate("last.get()") == 0


def test_a_tab_that_closes_is_no_longer_watched_for(tabs, scripted):
    first = tabs("() => { follow('a.first'); }")
    second = tabs("() => { follow('a.second'); }")
    shows(second, "a.second", 0)
    assert eventually(lambda: scripted.watched() == [["main/a.first", "main/a.second"]])
    second.close()
    assert eventually(lambda: scripted.watched() == [["main/a.first"]])
    first.evaluate("client.view('a.first').subscribe(() => {})()")
    assert eventually(lambda: scripted.watched() == [["main/a.first"]])


def test_a_page_that_was_set_aside_and_returns_has_the_newest_values(tabs, scripted):
    page, other = tabs("() => { follow('a.list'); }"), tabs("() => { follow('a.list'); }")
    shows(page, "a.list", 0)
    # Its stream was about to open anew.
    page.evaluate("""async () => {
        follow('a.other');
        await new Promise((end) => setTimeout(end));
        dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
    }""")
    scripted.set("main", {"a.list": [1]})
    shows(other, "a.list", [1])
    other.close()
    assert eventually(lambda: scripted.watched() == [])
    scripted.set("main", {"a.list": [1, 2]})
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    shows(page, "a.list", [1, 2])


def test_the_stream_returns_after_a_failure_and_goes_on_where_it_was(tabs, scripted):
    page = tabs("() => { follow('a.list'); }")
    scripted.set("main", {"a.list": [1]})
    shows(page, "a.list", [1])
    page.evaluate("globalThis.kept = client.view('a.list').get()")
    scripted.stop()
    scripted.start()
    assert eventually(lambda: len(scripted.watched()) == 1)
    assert page.evaluate("client.view('a.list').get() === kept")
    scripted.stop()
    scripted.set("main", {"a.list": [1, 2]})
    scripted.start()
    shows(page, "a.list", [1, 2])


def test_a_new_life_resets_the_views(tabs, scripted):
    page = tabs("() => { follow('a.list'); }")
    for number in range(5):
        scripted.set("main", {"a.list": list(range(number))})
    shows(page, "a.list", [0, 1, 2, 3])
    scripted.stop()
    scripted.reset()
    scripted.start()
    shows(page, "a.list", 0)
    # Versions begin anew: version 1 is shown, although version 5 was before.
    answer = page.evaluate("client.act('a/set', { views: { 'a.list': [9] } }).shown")
    assert answer["version"] == 1 and page.evaluate("client.view('a.list').get()") == [9]


def test_offline_and_back(tabs, scripted):
    page = tabs("() => { follow('a.list'); }")
    shows(page, "a.list", 0)
    tabs.context.set_offline(True)
    scripted.set("main", {"a.list": [1]})
    page.evaluate("() => { globalThis.acted = client.act('a/set', { views: { 'a.mine': 1 } }).then((answer) => answer.version); }")
    tabs.context.set_offline(False)
    shows(page, "a.list", [1])
    assert page.evaluate("acted") == 2


def test_a_token_is_sent_with_streams_and_actions(browser):
    server = ScriptedServer(tokens={"s e/cret": ""})
    try:
        for token in ["'s e/cret'", "() => 's e/cret'", "async () => 's e/cret'"]:
            page = browser.new_page()
            page.goto(server.url)
            page.evaluate(LOAD)
            page.evaluate("() => { client.settings.token = %s; follow('a.b'); }" % token)
            shows(page, "a.b", 0)
            page.evaluate("client.act('a/set', {})")
            assert server.requests[-1][1] == "Bearer s e/cret"
            page.close()
    finally:
        server.stop()


# MARK: Subjects

def web_token(subject, end=2_000_000_000):
    """A JSON Web Token, as far as a client reads it. Its payload has a character that base64url spells in its own way."""
    claims = base64.urlsafe_b64encode(json.dumps({"sub": subject, "exp": end, "name": "???~~~"}).encode()).decode().rstrip("=")
    assert "_" in claims or "-" in claims
    return f"e30.{claims}.c2lnbmF0dXJl"


class People:
    """Tabs of one browser, each with the token of its own session storage."""

    def __init__(self, tabs, ada, bob, ada_later):
        self.tabs, self.ada, self.bob, self.ada_later = tabs, ada, bob, ada_later

    def tab(self, token):
        return self.tabs("""() => {
            sessionStorage.token = %s;
            client.settings.token = () => sessionStorage.token;
            globalThis.me = client.view('%s');
            follow('%s');
        }""" % (json.dumps(token), PERSONAL, PERSONAL))


@pytest.fixture(params=["opaque", "web"])
def people(request, scripted, tabs):
    opaque = request.param == "opaque"
    ada, bob = ("ada's secret", "bob's secret") if opaque else (web_token("ada"), web_token("bob"))
    people = People(tabs, ada, bob, ada_later=ada if opaque else web_token("ada", 2_000_000_060))
    scripted.tokens = {ada: "ada", bob: "bob", people.ada_later: "ada"}
    return people


def readers(server):
    """Returns the subjects of the open streams, in order."""
    with server.lock:
        return sorted(stream.reader for stream in server.streams)


def senders(server):
    """Returns the tokens of the actions in the order in which they arrived."""
    return [token.removeprefix("Bearer ") for _, token in server.requests]


def told(page):
    """Returns the values that the listener of the personal view got; None if it was forgotten."""
    return page.evaluate("seen['%s']" % PERSONAL)


def test_two_people_in_tabs_of_one_browser_see_their_own_values(people, scripted):
    ada, bob, other = people.tab(people.ada), people.tab(people.bob), people.tab(people.ada)
    for page, name in [(ada, "ada"), (bob, "bob"), (other, "ada")]:
        shows(page, PERSONAL, name)
    # The two tabs of one person share a stream.
    assert eventually(lambda: readers(scripted) == ["ada", "bob"])
    for page in [ada, bob, other]:
        page.evaluate("() => { follow('a.list'); }")
        shows(page, "a.list", 0)
    # The tab of one person that leads does not stop the other one's, and the next tab of its person leads.
    ada.close()
    scripted.set("main", {"a.list": [1]})
    for page, name in [(bob, "bob"), (other, "ada")]:
        shows(page, "a.list", [1])
        assert told(page) == [name]
    assert eventually(lambda: readers(scripted) == ["ada", "bob"])


def test_nobody_and_a_person_see_their_own_values(tabs, scripted):
    scripted.tokens = {"secret": "ada"}
    page, other = tabs("() => { follow('%s'); }" % PERSONAL), tabs("() => { client.settings.token = 'secret'; follow('%s'); }" % PERSONAL)
    shows(other, PERSONAL, "ada")
    assert told(page) == [] and readers(scripted) == ["ada"]


def test_a_changed_token_forgets_the_values_and_opens_the_stream_of_its_subject(people, scripted):
    page, other = people.tab(people.ada), people.tab(people.ada)
    other.evaluate("() => { follow('a.list'); }")
    shows(other, "a.list", 0)
    shows(page, PERSONAL, "ada")
    # A new listener does not get the value of the person before.
    got = page.evaluate("""async (token) => {
        const got = [];
        sessionStorage.token = token;
        await new Promise((end) => me.subscribe((value) => got.push(value) && end()));
        return got;
    }""", people.bob)
    assert got == ["bob"]
    assert told(page) == ["ada", None, "bob"] and told(other) == ["ada"]
    # Each stream has the views of its subject's tabs only.
    assert eventually(lambda: scripted.watched() == [["main/a.list", "main/a.me"], ["main/a.me"]])
    assert eventually(lambda: readers(scripted) == ["ada", "bob"])
    scripted.set("main", {"a.list": [1]})
    shows(other, "a.list", [1])


def test_an_action_under_a_changed_token_forgets_the_values(people, scripted):
    page = people.tab(people.ada)
    shows(page, PERSONAL, "ada")
    page.evaluate("(token) => { sessionStorage.token = token; return client.act('a/set').shown; }", people.bob)
    assert told(page) == ["ada", None, "bob"] and senders(scripted) == [people.bob]


def test_signing_out_closes_and_forgets_at_once(people, scripted):
    page = people.tab(people.ada)
    shows(page, PERSONAL, "ada")
    assert page.evaluate("() => { client.signOut(); delete sessionStorage.token; return me.get(); }") is None
    assert eventually(lambda: readers(scripted) == [])
    # The listeners stay, and get the values of the next person without a call.
    page.evaluate("(token) => { sessionStorage.token = token; }", people.bob)
    shows(page, PERSONAL, "bob")
    assert told(page) == ["ada", None, "bob"] and scripted.readers == ["ada", "bob"]


def test_signing_out_holds_while_the_token_stays(people, scripted):
    page = people.tab(people.ada)
    shows(page, PERSONAL, "ada")
    page.evaluate("() => { let count = 0; client.settings.token = () => { globalThis.asked = ++count; return sessionStorage.token; }; client.signOut(); client.signOut(); }")
    assert eventually(lambda: readers(scripted) == [])
    page.wait_for_function("asked > 2")
    assert page.evaluate("me.get()") is None and scripted.readers == ["ada"]
    # The same person signs in again: the next action or listener is the sign.
    page.evaluate("client.act('a/set').shown")
    assert told(page) == ["ada", None, "ada"]
    page.evaluate("() => { client.signOut(); follow('a.list'); }")
    shows(page, PERSONAL, "ada")


def test_signing_out_in_one_tab_leaves_the_others_of_the_subject(people, scripted):
    first, second, third = [people.tab(people.ada) for _ in range(3)]
    for page in [first, second, third]:
        page.evaluate("() => { follow('a.list'); }")
        shows(page, "a.list", 0)
    # The second tab waits for the lock of its subject, and the first one has it.
    for page in [second, first]:
        page.evaluate("(token) => { sessionStorage.token = token; client.signOut(); }", people.bob)
        shows(page, PERSONAL, "bob")
    scripted.set("main", {"a.list": [1]})
    for page in [first, second, third]:
        shows(page, "a.list", [1])
    assert told(first) == told(second) == ["ada", None, "bob"] and told(third) == ["ada"]
    assert eventually(lambda: readers(scripted) == ["ada", "bob"])


def test_an_action_is_not_sent_again_under_another_subject(people, scripted):
    page = people.tab(people.ada)
    shows(page, PERSONAL, "ada")
    for leave in ["sessionStorage.token = token", "client.signOut({ discard: true })"]:
        scripted.refusals, scripted.retry_after, scripted.requests = [503], 1, []
        page.evaluate("() => { globalThis.acted = client.act('a/set', { views: { 'a.b': 1 } }).then(() => 'performed', (error) => [error.message, error.status]); }")
        assert eventually(lambda: len(scripted.requests) == 1)
        page.evaluate("(token) => { %s; }" % leave, people.bob)
        assert page.evaluate("acted") == ["another subject", None]
        assert senders(scripted) == [people.ada]
        # The action waits for its subject, unless it was discarded.
        scripted.refusals = []
        page.evaluate("(token) => { sessionStorage.token = token; return client.act('a/skip'); }", people.ada)
        assert scripted.value("main/a.b", "") == 1


def test_an_action_is_sent_again_under_a_newer_token_of_its_subject(people, scripted):
    page = people.tab(people.ada)
    shows(page, PERSONAL, "ada")
    scripted.refusals, scripted.retry_after = [503], 1
    page.evaluate("() => { globalThis.acted = client.act('a/set', { views: { 'a.b': 1 } }); }")
    assert eventually(lambda: len(scripted.requests) == 1)
    page.evaluate("(token) => { sessionStorage.token = token; }", people.ada_later)
    assert page.evaluate("acted")["version"] == 1
    assert senders(scripted) == [people.ada, people.ada_later]
    # The stream and the values stay.
    assert told(page) == ["ada"] and scripted.readers == ["ada"]


def test_an_answer_is_not_given_to_the_next_subject(people, scripted):
    page = people.tab(people.ada)
    shows(page, PERSONAL, "ada")
    scripted.answers_pass.clear()
    page.evaluate("() => { globalThis.acted = client.act('a/set', { views: { 'a.b': 1 } }).then(() => 'answered', (error) => error.message); }")
    assert eventually(lambda: len(scripted.requests) == 1)
    page.evaluate("(token) => { sessionStorage.token = token; client.signOut({ discard: true }); }", people.bob)
    scripted.answers_pass.set()
    assert page.evaluate("acted") == "another subject"
    assert senders(scripted) == [people.ada]


def test_shown_ends_with_its_subject(people, scripted):
    page = people.tab(people.ada)
    shows(page, PERSONAL, "ada")
    # No event shows the commit.
    page.evaluate("""async () => {
        const acted = client.act('a/skip');
        acted.shown.then(({ version }) => { globalThis.ended = version; });
        await acted;
        delete sessionStorage.token;
        client.signOut();
    }""")
    page.wait_for_function("globalThis.ended == 1")


def test_a_stream_under_way_gives_the_next_subject_nothing(people, scripted):
    scripted.streams_pass.clear()
    page = people.tab(people.ada)
    page.wait_for_function("client.status.get().state === 'connecting'")
    page.evaluate("(token) => { sessionStorage.token = token; client.signOut(); }", people.bob)
    scripted.streams_pass.set()
    shows(page, PERSONAL, "bob")
    assert told(page) == ["bob"]


def test_a_token_that_comes_late_does_not_bring_its_subject_back(people, scripted):
    page = people.tab(people.ada)
    page.evaluate("""() => {
        client.settings.token = async () => {
            const { token } = sessionStorage;
            await globalThis.held;
            return token;
        };
    }""")
    shows(page, PERSONAL, "ada")
    late = page.evaluate("""async (token) => {
        let release;
        globalThis.held = new Promise((end) => { release = end; });
        const late = client.act('a/set', { views: { 'a.b': 1 } }).catch((error) => error.message);
        delete globalThis.held;
        sessionStorage.token = token;
        await client.act('a/set', { views: { 'a.b': 2 } }).shown;
        release();
        return late;
    }""", people.bob)
    assert late == "another subject"
    page.evaluate("client.act('a/quiet').shown")
    assert told(page) == ["ada", None, "bob"] and set(senders(scripted)) == {people.bob}


def test_a_page_that_only_acts_joins_no_other_tab(tabs, scripted):
    scripted.tokens = {"secret": "ada"}
    page = tabs("() => { client.settings.token = 'secret'; }")
    # Longer than a tab waits before it joins.
    page.evaluate("(async () => { for (let count = 0; count < 40; count++) await client.act('a/set').shown; client.signOut(); })()")
    assert eventually(lambda: page.evaluate("navigator.locks.query().then(({ held }) => held.length)") == 0)


def test_no_name_has_a_token(people):
    page = people.tab(people.ada)
    shows(page, PERSONAL, "ada")
    names = page.evaluate("navigator.locks.query().then(({ held, pending }) => [...held, ...pending].map(({ name }) => name))")
    assert len(names) == 2 and not any(people.ada in name or "secret" in name for name in names)


def test_people_are_kept_apart_without_locks(people, scripted):
    people.tabs.context.add_init_script("Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })")
    pages = [(people.tab(token), name) for token, name in [(people.ada, "ada"), (people.bob, "bob"), (people.ada, "ada")]]
    for page, _ in pages:
        page.evaluate("() => { follow('a.list'); }")
        shows(page, "a.list", 0)
    for values in [[1], [1, 2]]:
        scripted.set("main", {"a.list": values})
        for page, _ in pages:
            shows(page, "a.list", values)
    assert [told(page) for page, _ in pages] == [[name] for _, name in pages]
    # Each tab leads itself.
    assert eventually(lambda: readers(scripted) == ["ada", "ada", "bob"])


# MARK: Actions

def test_an_action_is_sent_until_it_is_answered_and_performed_once(tabs, scripted):
    page = tabs()
    scripted.refusals = [503, 429, 502, 504]
    scripted.lost_answers = 2
    answer = page.evaluate("client.act('a/set', { views: { 'a.b': 1 } }, { space: 'room-7' })")
    assert answer == {"space": "room-7", "version": 1, "changed": ["a.b"]}
    assert len(scripted.requests) == 7 and len({key for key, _ in scripted.requests}) == 1
    page.evaluate("client.act('a/set', { views: { 'a.b': 2 } }, { space: 'room-7' })")
    assert scripted.requests[-1][0] != scripted.requests[0][0]
    page.evaluate("client.act('a/set', {}, { key: 'mine', parallel: true })")
    assert scripted.requests[-1][0] == "mine"


def test_retry_after_is_respected(tabs, scripted):
    page = tabs()
    scripted.refusals = [429]
    scripted.retry_after = 2
    waited = page.evaluate("(async () => { const began = performance.now(); await client.act('a/set'); return performance.now() - began; })()")
    assert waited >= 1_990


def test_an_action_survives_the_end_of_the_server(tabs, scripted):
    page = tabs()
    scripted.stop()
    page.evaluate("() => { globalThis.acted = client.act('a/set', { views: { 'a.b': 1 } }); }")
    scripted.start()
    assert page.evaluate("acted")["version"] == 1


@pytest.mark.parametrize("status", [400, 403, 404, 409, 412, 422, 500])
def test_another_refusal_rejects_the_action_once(tabs, scripted, status):
    page = tabs()
    scripted.refusals = [status]
    refused = page.evaluate("client.act('a/set').catch((error) => ({ status: error.status, detail: error.problem.detail, words: error.message }))")
    assert refused == {"status": status, "detail": "scripted", "words": "scripted"}
    assert len(scripted.requests) == 1


def test_shown_waits_until_each_subscribed_view_of_the_space_has_the_commit(tabs, scripted):
    page = tabs("() => { follow('a.list'); follow('a.other'); }")
    # The views have no value yet.
    answer = page.evaluate("client.act('a/set', { views: { 'a.list': [1] } }).shown")
    assert answer["version"] == 1
    assert page.evaluate("[client.view('a.list').get(), client.view('a.other').get()]") == [[1], 0]
    for number in range(2, 20):
        assert page.evaluate("(number) => client.act('a/set', { views: { 'a.list': [number] } }).shown.then(() => client.view('a.list').get())", number) == [number]
    # A commit that moves no view, and a space without views.
    assert page.evaluate("client.act('a/quiet').shown")["version"] == 20
    assert page.evaluate("client.act('a/set', {}, { space: 'b' }).shown")["space"] == "b"


def test_shown_is_seen_by_a_tab_that_does_not_lead(tabs, scripted):
    first, second = tabs("() => { follow('a.list'); }"), tabs("() => { follow('a.list'); }")
    shows(first, "a.list", 0)
    shows(second, "a.list", 0)
    for page in [second, first]:
        version = page.evaluate("client.act('a/set', { views: { 'a.list': [Math.random()] } }).shown.then((answer) => answer.version)")
        assert version in [1, 2]
