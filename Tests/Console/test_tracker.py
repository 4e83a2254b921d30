"""The tracker as a mirror: two browsers that were apart for an hour and meet again."""

import pathlib

from conftest import PROGRAM
from server import Server
from test_offline import IS_KEPT, PATIENCE_MILLISECONDS

FOLDER = pathlib.Path("Examples/documents/tracker").resolve()
APART_MILLISECONDS = 60 * 60 * 1_000


def meet_again(browser, data, folder=None):
    """Two browsers work apart and meet. Returns the tasks of both and those of the server; `folder` takes pictures."""
    server = Server(PROGRAM, data=data, arguments=["--examples", "none", "--features", str(FOLDER), "--site", str(FOLDER)])

    def picture(name):
        for who, page in people.items() if folder else []:
            page.screenshot(path=folder / f"tracker-{name}-{who}.png")

    def open_page():
        page = browser.new_context(viewport={"width": 560, "height": 520}).new_page()
        page.set_default_timeout(PATIENCE_MILLISECONDS)
        page.clock.install()
        page.goto(server.url)
        page.wait_for_function("() => navigator.serviceWorker.controller")
        page.wait_for_function(IS_KEPT)
        return page

    def add(page, form, text):
        page.locator(f"#{form} input").fill(text)
        page.locator(f"#{form} button").click()

    def tasks(page):
        return page.locator("ol li label").all_inner_texts()

    def shows(page, titles):
        page.wait_for_function(
            "(titles) => JSON.stringify([...document.querySelectorAll('ol li label')].map((one) => one.textContent.trim())) === titles",
            arg=str(titles).replace("'", '"').replace(", ", ","))

    people = {"ada": open_page(), "bob": open_page()}
    ada, bob = people.values()
    add(ada, "project", "Home")
    for page in people.values():
        page.locator("select option", has_text="Home").wait_for(state="attached")
    for title in ["paint", "sweep"]:
        add(ada, "task", title)
    for page in people.values():
        shows(page, ["paint", "sweep"])
        # The replica is on disk a moment after its event.
        page.clock.run_for(1_000)
        page.wait_for_timeout(500)
    picture("together")

    for page in people.values():
        page.context.set_offline(True)
    add(ada, "task", "cook")
    ada.locator("ol li", has_text="sweep").locator("[type=checkbox]").click()
    shows(ada, ["paint", "cook"])
    add(bob, "task", "read")
    bob.locator("ol li", has_text="paint").locator("[type=checkbox]").click()
    shows(bob, ["sweep", "read"])
    for page in people.values():
        page.clock.fast_forward(APART_MILLISECONDS)
    # A page that is opened again without a network has its rows, and the actions that wait.
    bob.reload()
    shows(bob, ["sweep", "read"])
    add(bob, "task", "rest")
    shows(bob, ["sweep", "read", "rest"])
    shows(ada, ["paint", "cook"])
    picture("apart")

    for page in people.values():
        page.context.set_offline(False)
        page.clock.run_for(60_000)
        page.clock.resume()
    for page in people.values():
        page.wait_for_function("() => document.querySelectorAll('ol li').length === 3")
    page.wait_for_timeout(500)
    picture("again")
    ada.locator("[type=search]").fill("REA")
    shows(ada, ["read"])
    ada.locator("[type=search]").fill("")
    ada.wait_for_function("() => document.querySelectorAll('ol li').length === 3")
    shown = [tasks(page) for page in people.values()]
    truth = [task["title"] for task in server.get("/v1/spaces/main/tracker/filtered?project=home")]
    for page in people.values():
        page.context.close()
    server.kill()
    return [[title.strip() for title in titles] for titles in shown], truth


def test_two_browsers_that_were_apart_show_the_work_of_both(browser, tmp_path):
    [ada, bob], truth = meet_again(browser, tmp_path / "data")
    assert ada == bob == truth
    assert sorted(truth) == ["cook", "read", "rest"]


def test_labels_find_tasks_and_do_not_disturb_who_writes(browser, tmp_path):
    server = Server(
        PROGRAM, data=tmp_path / "data",
        arguments=["--examples", "none", "--features", str(FOLDER), "--site", str(FOLDER)])
    page = browser.new_context().new_page()
    page.set_default_timeout(PATIENCE_MILLISECONDS)
    page.goto(server.url)

    def act(action, **values):
        return server.act(f"tracker/{action}", values)

    act("addProject", id="home", name="Home")
    for title in ["paint", "sweep", "cook"]:
        act("addTask", project="home", title=title)
    tasks = {task["title"]: task["id"] for task in server.get("/v1/spaces/main/tracker/filtered?project=home")}
    paint = page.locator("ol li", has_text="paint")
    paint.get_by_label("Label paint").fill("red")
    paint.get_by_label("Label paint").press("Enter")
    paint.get_by_role("button", name="red").wait_for()
    # A label of somebody else appears beside what is being written.
    paint.get_by_label("Label paint").fill("blu")
    act("label", id=tasks["paint"], label="cold")
    act("label", id=tasks["cook"], label="red")
    paint.get_by_role("button", name="cold").wait_for()
    paint.get_by_label("Label paint").press_sequentially("e")
    paint.get_by_label("Label paint").press("Enter")
    paint.get_by_role("button", name="blue").wait_for()

    page.get_by_label("Label", exact=True).select_option("red")
    page.locator("ol li", has_text="sweep").wait_for(state="detached")
    assert [text.strip() for text in page.locator("ol li label").all_inner_texts()] == ["paint", "cook"]
    paint.get_by_role("button", name="red").click()
    paint.wait_for(state="detached")
    act("unlabel", id=tasks["cook"], label="red")
    # The label is gone, and the list is that of the project again.
    page.locator("ol li", has_text="sweep").wait_for()
    assert server.get("/v1/spaces/main/tracker/labelCounts") == {"blue": 1, "cold": 1}
    page.context.close()
    server.kill()
