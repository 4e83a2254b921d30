"""Measures /mirror.js in Chromium: mirror_figures.py [ROWS]. Prints one line for each figure, in milliseconds."""

import json
import pathlib
import statistics
import sys
import tempfile

from playwright.sync_api import sync_playwright

from conftest import CHROMIUM, PROGRAM
from server import Server

SMALL_ROWS, LARGE_ROWS, ROWS_PER_ACTION, TAPS = 10_000, 100_000, 1_000, 30
PATIENCE_MILLISECONDS = 300_000
INPUT = {"type": "object", "properties": {"from": {"type": "integer"}, "count": {"type": "integer"}}, "required": ["from", "count"]}
ID = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
ROW = {"type": "object", "properties": {"title": {"type": "string"}, "n": {"type": "integer"}}, "required": ["title", "n"]}
DOCUMENT = {
    "feature": "work", "home": "space",
    "state": {"tasks": {"table": {"key": {"type": "string"}, "row": ROW}}},
    "actions": {
        "fill": {"input": INPUT, "do": [{"each": "lists.range(input.count)", "as": "i", "do": [
            {"put": "tasks", "key": "'k' + string(input.from + i)", "row": "{'title': 'A task with a title', 'n': input.from + i}"}]}]},
        "rise": {"input": ID, "do": [{"update": "tasks", "key": "input.id", "with": "{'n': row.n + 1000000}"}]},
    },
    "views": {
        "top": {"from": "tasks", "sort": "-row.n", "limit": 50, "select": "{'id': key, 'title': row.title, 'n': row.n}"},
        "sum": {"from": "tasks", "sum": "row.n"},
    },
    "replica": {"tasks": {}},
}
OPEN = """async () => {
  globalThis.client = await import('/client.js');
  const { mirror } = await import('/mirror.js');
  globalThis.began = performance.now();
  globalThis.longest = 0;
  new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) longest = Math.max(longest, duration); }).observe({ type: 'longtask' });
  globalThis.work = mirror('work');
  globalThis.waits = [];
  globalThis.shown = () => new Promise((done) => waits.push(done));
  work.view('top').subscribe((rows) => { globalThis.top = rows; const time = performance.now(); globalThis.first ??= rows?.length && time - began; waits.splice(0).forEach((done) => done(time)); });
  work.view('sum').subscribe((sum) => { globalThis.sum = sum; globalThis.shownAt = performance.now(); });
  const read = client.settings.read;
  client.settings.read = (...all) => { globalThis.arrived = performance.now(); return read(...all); };
}"""
# From the tap to the new value, and to the frame that shows it.
TAP = """async (id) => {
  const value = shown(), time = performance.now();
  work.act('rise', { id }).catch(() => {});
  const told = await value - time;
  return [told, await new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now() - time))))];
}"""


def measure(rows):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="headwater-mirror-figures-"))
    (folder / "site").mkdir()
    (folder / "site" / "index.html").write_text("<!doctype html><meta charset=utf-8><title>figures</title>")
    (folder / "features").mkdir()
    (folder / "features" / "work.json").write_text(json.dumps(DOCUMENT))
    server = Server(PROGRAM, data=folder / "data", arguments=[
        "--site", str(folder / "site"), "--features", str(folder / "features"), "--examples", "none"])
    for first in range(0, rows, ROWS_PER_ACTION):
        server.act("work/fill", {"from": first, "count": ROWS_PER_ACTION})
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_context().new_page()
        page.set_default_timeout(PATIENCE_MILLISECONDS)
        say = lambda name, value: print(f"{rows} rows: {name}: {value:.1f} ms", flush=True)

        def open_page():
            page.goto(server.url)
            page.evaluate(OPEN)
            page.wait_for_function("() => globalThis.first && globalThis.sum")

        open_page()
        page.wait_for_function("() => client.status.get().state === 'live'")
        say("first load", page.evaluate("first"))
        say("longest task of the first load", page.evaluate("longest"))
        taps = [page.evaluate(TAP, f"k{number * 7}") for number in range(TAPS)]
        say("tap to value, median", statistics.median(told for told, _ in taps))
        say("tap to value, worst", max(told for told, _ in taps))
        say("tap to the next frame, median", statistics.median(frame for _, frame in taps))
        page.wait_for_function("() => client.status.get().waiting === 0")
        # Ten actions wait, while others commit.
        page.route("**/v1/spaces/main/work/rise", lambda route: None)
        page.evaluate("() => { for (let n = 0; n < 10; n++) work.act('rise', { id: `k${n * 11 + 1}` }).catch(() => {}); }")
        page.wait_for_function("() => client.status.get().waiting === 10")
        commits = []
        for number in range(TAPS):
            before = page.evaluate("sum")
            server.act("work/rise", {"id": f"k{number * 13 + 2}"})
            page.wait_for_function("(before) => sum !== before", arg=before)
            commits.append(page.evaluate("shownAt - arrived"))
        say("another's commit with ten actions pending, median", statistics.median(commits))
        say("another's commit with ten actions pending, worst", max(commits))
        page.unroute_all()
        page.wait_for_timeout(3_000)
        open_page()
        say("start from disk", page.evaluate("first"))
        say("longest task of the start", page.evaluate("longest"))
        browser.close()
    server.kill()


if __name__ == "__main__":
    for count in [int(sys.argv[1])] if len(sys.argv) > 1 else [SMALL_ROWS, LARGE_ROWS]:
        measure(count)
