"""Chromium, a server, and windows that record errors."""

import os
import shutil
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import sync_playwright

from server import Server

PROGRAM = os.environ.get("HEADWATER_PROGRAM", ".build/debug/headwater")
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
# The browser's own message for a failed request; a test that provokes one declares it.
PROVOKED = "Failed to load resource"


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def server():
    server = Server(PROGRAM)
    yield server
    server.kill()


class Windows:
    """The windows of one test, each with its own session."""

    def __init__(self, browser, server):
        self.browser = browser
        self.server = server
        self.contexts = []
        self.complaints = []
        self.allows_refusals = False

    def open(self, page="overview", space="main", **options):
        context = self.browser.new_context(**{"viewport": {"width": 1280, "height": 860}, **options})
        self.contexts.append(context)
        return self.tab(context, page, space)

    def tab(self, context, page="overview", space="main"):
        window = context.new_page()
        window.on("console", self.hear)
        window.on("pageerror", lambda error: self.complaints.append(f"thrown: {error}"))
        window.on("request", self.note)
        window.goto(f"{self.server.url}/#/{space}/{page}")
        return window

    def hear(self, message):
        if message.type not in ("error", "warning"):
            return
        if self.allows_refusals and PROVOKED in message.text:
            return
        self.complaints.append(f"{message.type}: {message.text} {message.location}")

    def note(self, request):
        parts = urlsplit(request.url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.netloc != urlsplit(self.server.url).netloc:
            self.complaints.append(f"asked another host: {request.url}")

    def close(self):
        for context in self.contexts:
            context.close()


@pytest.fixture
def windows(browser, server):
    windows = Windows(browser, server)
    yield windows
    windows.close()
    assert windows.complaints == []


@pytest.fixture
def space(request):
    """The space of one test."""
    return request.node.name.split("[")[0].replace("_", "-")[:100] + str(abs(hash(request.node.name)) % 1000)
