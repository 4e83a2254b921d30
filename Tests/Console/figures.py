"""Measures what client.js costs over a distance: bytes and requests of a search box, of navigation and of a return, and the
time from a tap to the view.

Usage: figures.py [--before FILE]     FILE is a client.js of an earlier version, for comparison.
"""

import argparse
import json
import pathlib
import shutil
import statistics
import tempfile
import time

from playwright.sync_api import sync_playwright

from bad_network import BadNetwork
from conftest import CHROMIUM, PROGRAM
from server import Server

ONE_WAY_SECONDS = 0.15
ROWS, TEXT_BYTES = 5_000, 150
PAGES, VIEWS_OF_A_PAGE = 10, 3
SHOP = {
    "feature": "shop", "home": "space",
    "state": {
        "goods": {"table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {
            "name": {"type": "string"}, "text": {"type": "string"}, "page": {"type": "integer"}}}}},
        "count": {"value": {"type": "integer"}, "initial": 0},
    },
    "actions": {
        "fill": {
            "input": {"type": "object", "properties": {"from": {"type": "integer"}, "count": {"type": "integer"}, "text": {"type": "string"}}, "required": ["from", "count", "text"]},
            "do": [{"each": "lists.range(input.count)", "as": "i", "do": [
                {"put": "goods", "key": "string(input.from + i)", "row": "{'name': 'product ' + string(input.from + i), 'text': input.text, 'page': (input.from + i) % 30}"}]}],
        },
        "count": {"do": [{"set": "count", "to": "state.count + 1"}]},
    },
    "views": {
        "goods": {"from": "goods", "sort": ["key"]},
        "count": {"expression": "state.count"},
        "found": {"parameters": {"q": {"type": "string"}}, "from": "goods", "where": "row.name.contains(input.q)", "sort": ["key"], "select": "row.name", "limit": 10},
        "part": {"parameters": {"page": {"type": "integer"}}, "from": "goods", "where": "row.page == input.page", "sort": ["key"], "select": "row.name", "limit": 100},
    },
}
LOAD = """async (file) => {
    globalThis.client = await import(file);
    globalThis.shown = (view) => new Promise((done) => {
        if (view.get() !== undefined) return done();
        const end = view.subscribe((value) => { if (value !== undefined) { done(); queueMicrotask(() => end()); } });
    });
    globalThis.watched = [];
    // Replaces the watched views, and waits until all of them have a value.
    globalThis.go = async (wanted) => {
        const views = wanted.map(([name, parameters]) => client.view(name, { parameters }));
        const arrived = views.map((view) => new Promise((done) => {
            view.end = view.subscribe((value) => { if (value !== undefined) done(); });
        }));
        const former = watched;
        watched = views;
        former.forEach((view) => view.end?.());
        await Promise.all(arrived);
    };
    client.view('shop.goods').subscribe(() => {});
    client.view('shop.count').subscribe(() => {});
    await shown(client.view('shop.goods'));
}"""


class Measurement:
    def __init__(self, browser, network, file):
        self.network = network
        self.context = browser.new_context()
        self.page = self.context.new_page()
        self.page.set_default_timeout(120_000)
        self.requests = 0
        self.page.on("request", self.count)
        self.page.goto(network.url)
        self.page.evaluate(LOAD, file)
        self.page.wait_for_timeout(1_000)

    def count(self, _):
        self.requests += 1

    def of(self, work):
        """Returns the bytes from the server and the requests of some work."""
        bytes_before, requests_before = self.network.bytes["down"], self.requests
        work()
        self.page.wait_for_timeout(1_000)
        return self.network.bytes["down"] - bytes_before, self.requests - requests_before

    def figures(self):
        page, taps = self.page, []
        def search():
            for length in range(1, 21):
                started = time.monotonic()
                page.evaluate("(q) => go([['shop.found', { q }]])", "product 1234567890123"[:length])
                taps.append(time.monotonic() - started)
                page.wait_for_timeout(150)
        def navigate():
            for number in range(PAGES):
                page.evaluate("(pages) => go(pages.map((page) => ['shop.part', { page }]))", [number * VIEWS_OF_A_PAGE + view for view in range(VIEWS_OF_A_PAGE)])
                page.wait_for_timeout(200)
        def come_back():
            target, self.network.target = self.network.target, 1
            self.network.cut()
            time.sleep(60)
            self.network.target = target
            page.evaluate("() => dispatchEvent(new Event('online'))")
            page.wait_for_timeout(8_000)
        for name, work in [("search", search), ("navigation", navigate), ("return", come_back)]:
            size, requests = self.of(work)
            print(f"  {name}: {size:,} bytes, {requests} requests")
            if name == "search":
                print(f"  a keystroke to its result: {statistics.median(taps) * 1e3:.0f} ms")
        act = """async (optimistic) => {
            const view = client.view('shop.count'), before = view.get(), started = performance.now();
            const changed = new Promise((done) => { const end = view.subscribe((value) => { if (value > before) { done(performance.now() - started); queueMicrotask(() => end()); } }); });
            const done = client.act('shop/count', {}, optimistic ? { optimistic: { 'shop.count': (value) => value + 1 } } : {});
            const time = await changed;
            await done.shown;
            return time;
        }"""
        for words, isOptimistic in [("a tap to the view", False), ("a tap to the view, optimistic", True)]:
            times = []
            for _ in range(10):
                times.append(page.evaluate(act, isOptimistic))
                page.wait_for_timeout(300)
            print(f"  {words}: {statistics.median(times):.0f} ms")
        self.context.close()


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--before")
    before = arguments.parse_args().before
    folder = pathlib.Path(tempfile.mkdtemp())
    (folder / "site").mkdir()
    (folder / "site" / "index.html").write_text("<!doctype html><meta charset=utf-8><title>figures</title>")
    if before:
        shutil.copy(before, folder / "site" / "before.js")
    (folder / "features").mkdir()
    (folder / "features" / "shop.json").write_text(json.dumps(SHOP))
    server = Server(PROGRAM, arguments=["--site", str(folder / "site"), "--features", str(folder / "features"), "--examples", "none"])
    for start in range(0, ROWS, 500):
        server.act("shop/fill", {"from": start, "count": 500, "text": "x" * TEXT_BYTES})
    goods = len(server.head("/v1/spaces/main/shop/goods")[1])
    print(f"the list: {goods:,} bytes; {ONE_WAY_SECONDS * 2e3:.0f} ms from the browser to the server and back")
    network = BadNetwork(server.port)
    network.call(lambda: setattr(network, "latency", ONE_WAY_SECONDS))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for file in ["/before.js"] * bool(before) + ["/client.js"]:
            print(file)
            Measurement(browser, network, file).figures()
        browser.close()
    network.close()
    server.kill()
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
