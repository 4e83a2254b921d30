"""What schemathesis does before it asks."""

import re
import uuid

import schemathesis

TAGS = re.compile(r'\*|"[!#-~]*"')


@schemathesis.hook
def before_call(context, case, kwargs):
    headers = case.headers or {}
    query = case.query or {}
    # A stream has no end, and a long poll takes its time. Other tests look at both.
    if "events" in query:
        query["events"] = "0"
    if str(query.get("wait", "")).isdigit():
        query["wait"] = 0
    if "Prefer" in headers:
        headers["Prefer"] = "wait=0"
    key = headers.get("Idempotency-Key")
    # A key is not to be used for two actions, so each request has its own. Keys that are wrong in themselves are to be refused, and stay.
    if key and key.isascii() and key.isprintable() and " " not in key and len(key) <= 200:
        headers["Idempotency-Key"] = f"{key}-{uuid.uuid4()}"
    if case.meta is not None and case.meta.generation.mode.is_positive:
        # A header that it only fills to have one is "0", whatever the pattern says.
        if headers.get("If-Match") == "0":
            headers["If-Match"] = '"0"'
        # What a tag looks like is said in words only, since it does not matter beside another parameter.
        if "If-None-Match" in headers and not TAGS.fullmatch(headers["If-None-Match"]):
            headers["If-None-Match"] = '"0"'
