"""The size of the page, the time to its first value, and its cost for the server."""

import os
import pathlib
import statistics

import pytest
from playwright.sync_api import expect

from server import eventually

FIRST_LOAD_LIMIT_BYTES = 150_000
FIRST_VALUE_LIMIT_MILLISECONDS = 200
TRIES_LIMIT = 25
BUSY_LOAD_PER_CORE = 1.5
FOLDER = pathlib.Path("Sources/CAssets/Console")


def test_every_file_is_served_with_its_type_tag_and_guards(server):
    types = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
    for file in FOLDER.iterdir():
        fields, body = server.head("/" if file.name == "index.html" else f"/{file.name}")
        assert body == file.read_bytes(), file.name
        assert fields["Content-Type"] == types[file.suffix]
        assert fields["ETag"].startswith('"') and fields["X-Content-Type-Options"] == "nosniff"
        policy = fields["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy and "script-src 'self';" in policy


def test_nothing_is_inline():
    page = (FOLDER / "index.html").read_text()
    assert " style=" not in page and " onclick=" not in page and "<style" not in page
    assert page.count("<script") == page.count("<script type=\"module\" src=") == 1


def test_the_first_load_is_small(windows, space, record_property):
    loaded = {}
    context = windows.browser.new_context()
    windows.contexts.append(context)
    window = context.new_page()
    window.on("response", lambda response: loaded.setdefault(response.url, response))
    window.goto(f"{windows.server.url}/#/{space}/overview")
    expect(window.locator(".views .value").first).not_to_have_text("…")
    total = sum(len(response.body()) for url, response in list(loaded.items()) if url.endswith((".js", ".css", ".svg", "/")))
    record_property("first_load_bytes", total)
    print(f"first load: {total} bytes in {len(loaded)} answers")
    assert 20_000 < total < FIRST_LOAD_LIMIT_BYTES


def test_all_files_together_fit_the_first_load():
    assert sum(os.path.getsize(file) for file in FOLDER.iterdir()) < 2 * FIRST_LOAD_LIMIT_BYTES


def test_the_first_live_value_arrives_soon(windows, space):
    # A busy machine takes longer, so the best of several tries counts; most machines need one.
    taken = []
    while len(taken) < TRIES_LIMIT and min(taken, default=FIRST_VALUE_LIMIT_MILLISECONDS) >= FIRST_VALUE_LIMIT_MILLISECONDS:
        context = windows.browser.new_context()
        windows.contexts.append(context)
        window = context.new_page()
        # The time of the first value in the page, by the page's clock, which starts at the navigation.
        window.add_init_script("""
            new MutationObserver((_, observer) => {
                const value = document.querySelector('.views .value');
                if (!value || value.textContent === '…') return;
                globalThis.firstValue = performance.now();
                observer.disconnect();
            }).observe(document, { childList: true, subtree: true, characterData: true });
        """)
        window.goto(f"{windows.server.url}/#/{space}/overview")
        expect(window.locator(".views .value").first).not_to_have_text("…")
        taken.append(window.evaluate("globalThis.firstValue"))
        context.close()
        windows.contexts.remove(context)
    print(f"first live value: {sorted(round(one) for one in taken)} ms")
    load = os.getloadavg()[0] / os.cpu_count()
    if min(taken) >= FIRST_VALUE_LIMIT_MILLISECONDS and load > BUSY_LOAD_PER_CORE:
        pytest.skip(f"the machine is busy with others, {load:.1f} for each core, and the best was {min(taken):.0f} ms")
    assert min(taken) < FIRST_VALUE_LIMIT_MILLISECONDS, taken


def test_an_open_console_uses_at_most_two_streams(windows, server, space):
    # The streams of earlier tests end once the server notices.
    assert eventually(lambda: server.figure("headwater_streams_active") == 0)
    window = windows.open("changes", space)
    expect(window.locator("#standing-text")).to_have_text("Live")
    expect(window.locator("article h1")).to_be_visible()
    expect(window.locator("article .quiet").first).not_to_have_text("")
    assert eventually(lambda: server.figure("headwater_streams_active") == 2)
