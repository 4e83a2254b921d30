"""The feed, with a scripted GitHub server."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import expect

from conftest import PROGRAM, Windows
from server import Server

EVENTS = [
    {"id": "2", "type": "PullRequestReviewEvent", "actor": {"login": "grace", "avatar_url": "https://pictures.example/grace.png"},
     "repo": {"name": "ada/engine"}, "created_at": "2026-01-31T12:05:00Z"},
    {"id": "1", "type": "PushEvent", "actor": {"login": "ada", "avatar_url": "https://pictures.example/ada.png"},
     "repo": {"name": "ada/engine"}, "created_at": "2026-01-31T12:00:00Z"},
]


class Activity(BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps(EVENTS if self.path.startswith("/repos/ada/engine/events") else {"message": "Not Found"}).encode()
        self.send_response(200 if "engine" in self.path else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def followed(browser):
    outside = ThreadingHTTPServer(("127.0.0.1", 0), Activity)
    threading.Thread(target=outside.serve_forever, daemon=True).start()
    server = Server(PROGRAM, arguments=["--github-url", f"http://127.0.0.1:{outside.server_port}"])
    windows = Windows(browser, server)
    yield windows
    windows.close()
    server.kill()
    outside.shutdown()
    outside.server_close()
    assert windows.complaints == []


def test_followed_repositories_give_a_table_of_events_in_each_window(followed):
    one, other = followed.open("feed"), followed.open("feed")
    one.get_by_role("textbox", name="Repository").fill("ada/engine")
    one.get_by_role("form", name="Follow a repository").get_by_role("button").click()
    for window in (one, other):
        rows = window.locator(".events tbody tr")
        expect(rows).to_have_count(2, timeout=15_000)
        expect(rows.first).to_contain_text("grace")
        expect(rows.first).to_contain_text("pull request review")
        expect(window.locator(".chips")).to_contain_text("ada/engine")
    # No picture was requested: a request to another host would be a recorded error.
    other.get_by_role("button", name="Stop following ada/engine").click()
    expect(one.locator(".empty")).to_be_visible()
    expect(one.locator(".events tbody tr")).to_have_count(0)
