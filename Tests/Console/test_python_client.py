"""Examples/client.py beside a scripted server."""

import copy
import importlib.util
import itertools
import json
import pathlib
import queue
import threading

import pytest

from scripted import ScriptedServer
from server import PATIENCE_SECONDS, eventually

FILE = pathlib.Path("Examples/client.py")
LINES_LIMIT = 300
CASES = [json.loads(line) for line in pathlib.Path("Tests/Console/patches.jsonl").read_text().splitlines()]

specification = importlib.util.spec_from_file_location("headwater_client", FILE)
client = importlib.util.module_from_spec(specification)
specification.loader.exec_module(client)


@pytest.fixture
def scripted():
    server = ScriptedServer()
    yield server
    server.stop()


class Follower:
    """What a client sees, on a thread of its own."""

    def __init__(self, url, *watched):
        self.seen = queue.Queue()
        following = client.Client(url).follow(*watched)
        self.thread = threading.Thread(target=lambda: [self.seen.put(one) for one in following], daemon=True)
        self.thread.start()

    def until(self, is_so):
        for _ in itertools.count():
            values, versions = self.seen.get(timeout=PATIENCE_SECONDS)
            if is_so(values, versions):
                return values, versions


def test_the_client_is_short():
    assert len(FILE.read_text().splitlines()) <= LINES_LIMIT


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_patches_apply_as_in_the_public_suite_and_leave_the_document_alone(case):
    document = copy.deepcopy(case["document"])
    try:
        result = [client.patch(document, case["patch"])]
    except (ValueError, KeyError, TypeError, AttributeError):
        result = []
    assert result == ([case["result"]] if "result" in case else [])
    assert document == case["document"]


def test_a_follower_sees_each_value_and_resumes(scripted):
    follower = Follower(scripted.url, "main/a.list", "room-7/a.map")
    assert follower.until(lambda values, _: values) == ({"main/a.list": 0, "room-7/a.map": 0}, {"main": "0.0", "room-7": "0.0"})
    scripted.set("main", {"a.list": [1]})
    scripted.set("main", {"a.list": [1, 2]})
    follower.until(lambda values, versions: values["main/a.list"] == [1, 2] and versions["main"] == "2.0")
    scripted.set("room-7", {"a.map": {"x": {"y": 1}}})
    scripted.set("room-7", {"a.map": {"z": 2}})
    follower.until(lambda values, _: values == {"main/a.list": [1, 2], "room-7/a.map": {"z": 2}})
    scripted.stop()
    scripted.start()
    assert eventually(lambda: scripted.watched() == [["main/a.list", "room-7/a.map"]])
    assert follower.seen.empty()
    scripted.stop()
    scripted.reset()
    scripted.set("main", {"a.list": []})
    scripted.start()
    follower.until(lambda values, versions: values == {"main/a.list": [], "room-7/a.map": 0} and versions == {"main": "1.0", "room-7": "0.0"})


def test_an_action_is_sent_until_it_is_answered_and_performed_once(scripted):
    slept = []
    actor = client.Client(scripted.url, sleep=slept.append)
    scripted.refusals, scripted.retry_after = [503, 429, 502, 504], 3
    scripted.lost_answers = 2
    assert actor.act("a/set", {"views": {"a.b": 1}}, space="room-7") == {"space": "room-7", "version": 1, "changed": ["a.b"]}
    assert len(scripted.requests) == 7 and len({key for key, _ in scripted.requests}) == 1
    assert slept[:4] == [3, 3, 3, 3] and len(slept) == 6
    scripted.stop()
    starting = client.Client(scripted.url, sleep=lambda _: scripted.start())
    assert starting.act("a/set", key="mine")["version"] == 0
    assert scripted.requests[-1][0] == "mine"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 412, 422, 500])
def test_another_refusal_is_raised(scripted, status):
    scripted.refusals = [status]
    with pytest.raises(client.Refusal) as caught:
        client.Client(scripted.url, sleep=None).act("a/set")
    assert caught.value.status == status and caught.value.problem["detail"] == "scripted"


def test_a_refused_stream_is_raised():
    server = ScriptedServer(tokens={"good": "me"})
    with pytest.raises(client.Refusal) as caught:
        next(client.Client(server.url, token="bad", sleep=None).follow("main/a.b"))
    assert caught.value.status == 401
    # A function is asked again, because it may return another token.
    tokens = iter(["bad", "good"])
    patient = client.Client(server.url, token=lambda: next(tokens), sleep=lambda _: None)
    assert next(patient.follow("main/a.b"))[0] == {"main/a.b": 0} and patient.status["state"] == "live"
    server.stop()


def test_a_queue_in_a_file_outlives_the_program_and_keeps_its_order(scripted, tmp_path):
    store = tmp_path / "queue"
    scripted.stop()
    away = threading.Event()
    first = client.Client(scripted.url, store=store, sleep=lambda _: away.wait())
    for number in range(20):
        first.send("a/set", {"views": {"a.n": number}})
    assert eventually(lambda: first.status == {"state": "offline", "waiting": 20, "refused": 0})
    assert [one["state"] for one in first.pending()] == ["sent"] + ["waiting"] * 19
    assert first.discard(first.pending()[5]["id"]) and not first.discard(first.pending()[0]["id"])
    refused = queue.Queue()
    scripted.start()
    scripted.refusals = [503, 409]
    second = client.Client(scripted.url, store=store, sleep=lambda _: None, on_refused=lambda *one: refused.put(one))
    action, problem = refused.get(timeout=PATIENCE_SECONDS)
    assert action["name"] == "a/set" and action["input"] == {"views": {"a.n": 0}} and problem["detail"] == "scripted"
    assert eventually(lambda: second.status["waiting"] == 0 and second.status["refused"] == 1)
    numbers = [int(key.split(";")[1]) for key, _ in scripted.requests]
    assert numbers == [1, *range(1, 20)] and len({key.split(";")[0] for key, _ in scripted.requests}) == 1
    assert scripted.values["main"]["a.n"] == 19 and scripted.versions["main"] == 18
    assert second.retry(action["id"]) and eventually(lambda: second.pending() == [])
    assert scripted.values["main"]["a.n"] == 0
    # The next action goes on with the numbers.
    assert second.act("a/set", {"views": {"a.n": 7}})["version"] == 20
