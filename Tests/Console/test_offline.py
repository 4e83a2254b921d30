"""/offline.js and the queue of client.js: a page without a network, a closed browser, and a new version of the site."""

import pathlib
import shutil

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


def test_a_page_opens_acts_and_is_closed_without_a_network_and_comes_back(browser, tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    write(site, "one")
    arguments = ["--examples", "none", "--features", str(DOCUMENT), "--site", str(site)]
    server = Server(PROGRAM, data=tmp_path / "data", arguments=arguments)
    shows = "(topic) => document.querySelector('h1')?.textContent === topic"
    def launch():
        context = browser.browser_type.launch_persistent_context(
            tmp_path / "profile", executable_path=CHROMIUM, args=["--no-sandbox"])
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MILLISECONDS)
        page.goto(server.url)
        return context, page

    context, page = launch()
    page.wait_for_function(shows, arg="Untitled")
    page.wait_for_function("() => navigator.serviceWorker.controller")
    page.wait_for_function(IS_KEPT)
    page.wait_for_function("() => client.view('board.topic').status === 'live'")
    # The last values are kept a moment after their event.
    page.wait_for_timeout(600)
    server.kill()
    page.reload()
    page.wait_for_function(shows, arg="Untitled")
    assert page.evaluate("[client.view('board.topic').status, word]") == ["stale", "one"]
    page.evaluate("() => { client.act('board/rename', { topic: 'away' }, { optimistic: { 'board.topic': () => 'away' } }); }")
    page.wait_for_function(shows, arg="away")
    page.wait_for_function("() => client.pending().then((actions) => actions.length === 1)")
    context.close()
    write(site, "two")
    server.start()
    context, page = launch()
    page.wait_for_function(shows, arg="away")
    # Never a page of one version with a script of another.
    assert page.title() == page.evaluate("word")
    page.wait_for_function("() => client.status.get().waiting === 0")
    page.reload()
    page.wait_for_function("() => globalThis.word === 'two'")
    assert page.title() == "two"
    assert len(server.get("/v1/spaces/main/changes?since=0")) == 1
    context.close()
    server.kill()
    shutil.rmtree(site)
