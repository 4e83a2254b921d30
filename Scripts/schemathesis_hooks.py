"""What schemathesis does before it asks: each request has an idempotency key of its own, since a key is not to be used for two actions."""

import uuid

import schemathesis


@schemathesis.hook
def before_call(context, case, kwargs):
    key = (case.headers or {}).get("Idempotency-Key")
    # Keys that are wrong in themselves stay as they are: they are to be refused.
    if key and key.isascii() and key.isprintable() and " " not in key and len(key) <= 200:
        case.headers["Idempotency-Key"] = f"{key}-{uuid.uuid4()}"
