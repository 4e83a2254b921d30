"""Makes the pictures of the README: images.py FOLDER. It performs some actions first."""

import pathlib
import sys
import tempfile

from playwright.sync_api import sync_playwright

from conftest import CHROMIUM, PROGRAM
from server import Server
from tutorial import Tutorial

ACTIONS = [
    ("user/logIn", {"name": "Ada Lovelace"}), ("cart/add", {"productId": 3}), ("cart/add", {"productId": 1, "quantity": 2}),
    ("luthier/select", {"shape": "casual", "color": "sky", "body": "koa", "fretboard": "birdseyeMaple"}), ("cart/increment", {"productId": 3}),
]


def take(folder):
    server = Server(PROGRAM)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for action, body in ACTIONS:
            server.act(action, body)

        def picture(name, page, scheme, ready, before=None, width=1280, height=800, scale=1, server=server):
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce", device_scale_factor=scale)
            window = context.new_page()
            window.goto(f"{server.url}/#/main/{page}")
            window.locator("article h1").wait_for()
            if before:
                before(window)
            window.locator(ready).first.wait_for()
            # A changed value is highlighted briefly; the picture waits until the highlight ends.
            window.wait_for_timeout(1_500)
            window.screenshot(path=folder / f"{name}.png")
            context.close()

        def live(window):
            for count in range(50):
                server.act("cart/add", {"productId": 1 + count % 5})
                window.wait_for_timeout(350)

        def order(window):
            window.get_by_role("button", name="Check out").click()
            window.locator("dialog.sheet").get_by_role("radio", name="Express").check()
            window.locator("dialog.sheet .sums").get_by_text("$2,580.00").wait_for()

        def chain(window):
            window.locator(".definitions button", has_text="Zip Stream").click()
            window.get_by_role("button", name="Try in virtual time").click()
            window.locator(".marbles .result").wait_for()

        def choose(window):
            window.get_by_label("Show").select_option("cart")
            server.act("cart/increment", {"productId": 3})

        picture("overview", "overview", "light", ".spark .line[d]", live)
        picture("graph", "graph", "dark", ".node.lit", choose, height=700)
        picture("luthier", "luthier", "light", ".guitar")
        picture("checkout", "luthier", "dark", "dialog.sheet", order)
        server.act("luthier/dismiss")
        picture("streams", "streams", "light", ".marbles .result", chain, height=900)
        picture("phone", "shop", "dark", ".cart tbody tr", width=390, height=844)
        administrate(picture)
        browser.close()
    server.kill()


def administrate(picture):
    """Makes the pictures of editing and of the rules, with the document of the second app."""
    with tempfile.TemporaryDirectory() as folder:
        Tutorial("second-app.md").write(pathlib.Path(folder))
        server = Server(PROGRAM, arguments=["--examples", "none", "--features", f"{folder}/diary"])
        pages = [("a", "ada", "Rain all day.", True), ("b", "bob", "The bridge is open agian.", True), ("c", "eve", "Two letters.", False), ("d", "ada", "Sun.", True)]
        server.act("administration/edit", {"reason": "pictures", "edits": [
            {"table": "diary.pages", "key": key, "row": {"by": by, "text": text, "shared": shared}} for key, by, text, shared in pages]})

        def edit(window):
            window.get_by_role("button", name="Edit the row b").click()
            dialog = window.get_by_role("dialog")
            row = dialog.get_by_label("Row", exact=True)
            row.fill(row.input_value().replace("agian", "again"))
            dialog.get_by_label("Reason").fill("a typing error")
            dialog.get_by_role("button", name="Rehearse").click()
            dialog.get_by_role("status").get_by_text("version").wait_for()

        def ask(window):
            window.get_by_label("Claims").fill('{\n  "sub": "bob"\n}')
            window.get_by_label("View or action").select_option("action diary/remove")
            window.get_by_label("id", exact=True).fill("a")
            window.get_by_role("button", name="Test the rules").click()

        picture("editing", "tables/diary.shared", "light", "dialog[open]", edit, server=server)
        picture("rules", "rules", "light", "[data-part=reason]", ask, server=server, height=860)
        server.kill()


if __name__ == "__main__":
    take(pathlib.Path(sys.argv[1]))
