"""/offline.js and the queue of client.js: a page without a network, a closed browser, and a new version of the site."""

import pathlib
import time

from bad_network import BadNetwork
from conftest import CHROMIUM, PROGRAM
from server import Server

PATIENCE_MILLISECONDS = 30_000
DOCUMENT = pathlib.Path("Examples/documents/board").resolve()
PAGE = """<!doctype html><meta charset=utf-8><title>one</title><h1></h1><script type=module>
import * as client from '/client.js';
import { word } from '/word.js';
Object.assign(globalThis, { client, word });
navigator.serviceWorker.register('/offline.js');
client.view('board.topic').subscribe((topic) => { document.querySelector('h1').textContent = topic; });
</script>"""
IS_KEPT = """async () => {
    for (const name of await caches.keys()) {
        if (name.startsWith('headwater site') && await (await caches.open(name)).match('/site.json')) return true;
    }
    return false;
}"""


def write(site, word):
    (site / "index.html").write_text(PAGE.replace("one", word))
    (site / "word.js").write_text(f"export const word = '{word}';")


def launch(browser, profile, url):
    """Opens the page in a browser whose storage outlives it."""
    context = browser.browser_type.launch_persistent_context(profile, executable_path=CHROMIUM, args=["--no-sandbox"])
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MILLISECONDS)
    page.goto(url)
    return context, page


def shows(page, topic):
    page.wait_for_function("(topic) => document.querySelector('h1')?.textContent === topic", arg=topic)


def kept(page):
    """Waits until the site's files and the first values are kept."""
    page.wait_for_function("() => navigator.serviceWorker.controller")
    page.wait_for_function(IS_KEPT)
    page.wait_for_function("() => client.view('board.topic').status === 'live'")
    # The last values are kept a moment after their event.
    page.wait_for_timeout(600)


def rename(page, topic):
    page.evaluate("(topic) => { client.act('board/rename', { topic }, { optimistic: { 'board.topic': () => topic } }); }", topic)


def waiting(page, count):
    page.wait_for_function("(count) => client.pending().then((actions) => actions.length === count)", arg=count)


def begin(tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    write(site, "one")
    arguments = ["--examples", "none", "--features", str(DOCUMENT), "--site", str(site)]
    return site, Server(PROGRAM, data=tmp_path / "data", arguments=arguments)


def test_a_page_opens_acts_and_is_closed_without_a_server_and_comes_back(browser, tmp_path):
    site, server = begin(tmp_path)
    context, page = launch(browser, tmp_path / "profile", server.url)
    shows(page, "Untitled")
    kept(page)
    server.kill()
    page.reload()
    shows(page, "Untitled")
    assert page.evaluate("[client.view('board.topic').status, word]") == ["stale", "one"]
    rename(page, "away")
    shows(page, "away")
    waiting(page, 1)
    context.close()
    write(site, "two")
    server.start()
    context, page = launch(browser, tmp_path / "profile", server.url)
    shows(page, "away")
    # Never a page of one version with a script of another.
    assert page.title() == page.evaluate("word")
    page.wait_for_function("() => client.status.get().waiting === 0")
    page.reload()
    page.wait_for_function("() => globalThis.word === 'two'")
    assert page.title() == "two"
    assert len(server.get("/v1/spaces/main/changes?since=0")) == 1
    context.close()
    server.kill()


def test_a_page_reloads_and_acts_while_the_network_is_cut_and_the_browser_comes_back_a_minute_later(browser, tmp_path):
    _, server = begin(tmp_path)
    network = BadNetwork(server.port)
    context, page = launch(browser, tmp_path / "profile", network.url)
    shows(page, "Untitled")
    kept(page)

    network.leave()
    page.wait_for_function("() => client.status.get().state === 'offline'")
    page.reload()
    shows(page, "Untitled")
    assert page.evaluate("client.view('board.topic').status") == "stale"
    for topic in ["one", "two", "three"]:
        rename(page, topic)
        shows(page, topic)
    waiting(page, 3)
    context.close()
    # The others went on meanwhile.
    server.act("board/rename", {"topic": "other"})

    time.sleep(60)
    context, page = launch(browser, tmp_path / "profile", network.url)
    # Still without the network: the page, the values and the actions are those from before.
    shows(page, "Untitled")
    waiting(page, 3)
    network.back()
    page.wait_for_function("() => client.status.get().waiting === 0")
    shows(page, "three")
    topics = [change["input"]["topic"] for change in server.get("/v1/spaces/main/changes?since=0")]
    assert topics == ["other", "one", "two", "three"]
    context.close()
    network.close()
    server.kill()
