"""Changes to the requests of schemathesis."""

import base64
import datetime
import re
import uuid

import schemathesis

TAGS = re.compile(r'\*|"[!#-~]*"')
WAITING = ("since", "wait", "events", "lastEventId")
VIEW = re.compile(r"/v1/spaces/[^/]+/[^/]+/[^/]+")
WINDOW = {"limit": re.compile("[1-9][0-9]{0,2}|1000"), "after": re.compile(""), "total": re.compile("[01]")}
VERSIONS = re.compile(r"0|[1-9][0-9]{0,14}")


@schemathesis.serializer("application/x-ndjson")
def lines(context, value):
    return str(value).encode()


@schemathesis.hook
def before_call(context, case, kwargs):
    headers = case.headers or {}
    query = case.query or {}
    # A stream has no end, and a long poll is slow. Other tests cover both.
    if "events" in query:
        query["events"] = "0"
    if str(query.get("wait", "")).isdigit():
        query["wait"] = 0
    # Points of the past are described in words, and `at` excludes the parameters of waiting, which a schema cannot say.
    if any(name in query for name in WAITING):
        query.pop("at", None)
    points = {"at", "from", "to"} | ({"since"} if case.path.endswith("/history") else set())
    for name in points & set(query):
        if not VERSIONS.fullmatch(str(query[name])):
            query[name] = "0"
    # The parameter is for restoring the space `common` only.
    if case.path.endswith("/restore") and (case.path_parameters or {}).get("space") != "common":
        query.pop("common", None)
    # The built-in systems have no table with presence.
    for name in ("presence", "as", "with"):
        query.pop(name, None)
    # Other tests cover windows after an item: only an earlier answer has a text that `after` takes.
    if case.meta is not None and case.meta.generation.mode.is_positive and query.get("after"):
        if not case.path.endswith("/spaces"):
            query["after"] = ""
    # The contract describes a list as an array, and its window as a path of its own, which takes the same parameters.
    # Invalid ones stay, and must be refused.
    if VIEW.fullmatch(case.path):
        for name, valid in WINDOW.items():
            if valid.fullmatch(str(query.get(name, ""))):
                query.pop(name, None)
    if "Prefer" in headers:
        headers["Prefer"] = "wait=0"
    key = headers.get("Idempotency-Key")
    # Each request gets its own key, because a key is for one action. Invalid keys stay, and must be refused.
    if key and key.isascii() and key.isprintable() and " " not in key and len(key) <= 200:
        headers["Idempotency-Key"] = f"{key}-{uuid.uuid4()}"
    if case.meta is not None and case.meta.generation.mode.is_positive:
        # Only the server makes tags of a space that it can read.
        if case.path.endswith("}/changes") and query.get("since") and not VERSIONS.fullmatch(str(query["since"])):
            query["since"] = "0"
        # A header that schemathesis fills only for presence is "0", regardless of its pattern.
        if headers.get("If-Match") == "0":
            headers["If-Match"] = '"0"'
        # The server compares the time with its own.
        if "Headwater-Time" in headers:
            headers["Headwater-Time"] = datetime.datetime.now(datetime.timezone.utc).isoformat()
        # The first action of another client: the server waits for those before a later one. A header that
        # schemathesis fills only for presence is "0".
        if "Headwater-Queue" in headers:
            headers["Headwater-Queue"] = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=") + ";1"
        # The format of a tag is described in words only, because another parameter makes it irrelevant.
        if "If-None-Match" in headers and not TAGS.fullmatch(headers["If-None-Match"]):
            headers["If-None-Match"] = '"0"'
