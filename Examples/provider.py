#!/usr/bin/env python3
"""A small provider of identities for trying things out: OpenID Connect with the authorization code and PKCE (RFC 7636).

Whoever asks is whom they choose, so it is for one machine only. It signs with ES256, and needs Python alone.

    python3 Examples/provider.py --port 9000 --people ada,bob,eve:editor
    headwater dev diary --jwks http://127.0.0.1:9000/jwks --issuer http://127.0.0.1:9000 --audience diary \\
        --grant 'true => act, main'
"""

import argparse
import base64
import hashlib
import html
import json
import secrets
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

LIFE_SECONDS = 3600
CODE_SECONDS = 60
BODY_LIMIT = 16_384

# The curve P-256 (FIPS 186-4, D.1.2.3).
P = 2**256 - 2**224 + 2**192 + 2**96 - 1
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
G = (0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
     0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5)


def add(one, other):
    """Returns the sum of two points; None is the point at infinity."""
    if one is None or other is None:
        return one or other
    if one[0] == other[0] and (one[1] + other[1]) % P == 0:
        return None
    if one == other:
        slope = (3 * one[0] * one[0] - 3) * pow(2 * one[1], -1, P) % P
    else:
        slope = (other[1] - one[1]) * pow(other[0] - one[0], -1, P) % P
    x = (slope * slope - one[0] - other[0]) % P
    return x, (slope * (one[0] - x) - one[1]) % P


def times(count, point):
    """Returns the multiple of a point."""
    total = None
    while count:
        if count & 1:
            total = add(total, point)
        point = add(point, point)
        count >>= 1
    return total


def base64url(data):
    """Returns bytes as base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Key:
    """A key for ES256, made anew at each start."""

    def __init__(self):
        self.secret = secrets.randbelow(N - 1) + 1
        x, y = times(self.secret, G)
        self.name = secrets.token_hex(8)
        self.public = {"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": self.name,
                       "x": base64url(x.to_bytes(32, "big")), "y": base64url(y.to_bytes(32, "big"))}

    def token(self, claims):
        """Returns the claims as a JSON Web Token."""
        parts = [{"alg": "ES256", "typ": "JWT", "kid": self.name}, claims]
        text = ".".join(base64url(json.dumps(part).encode()) for part in parts)
        digest = int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")
        while True:
            number = secrets.randbelow(N - 1) + 1
            r = times(number, G)[0] % N
            s = pow(number, -1, N) * (digest + r * self.secret) % N
            if r and s:
                return f"{text}.{base64url(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


class Provider(ThreadingHTTPServer):
    """The server, with its people, its key and the codes that wait for their exchange."""

    daemon_threads = True

    def __init__(self, port, people, audience):
        super().__init__(("127.0.0.1", port), Requests)
        self.issuer = f"http://127.0.0.1:{self.server_port}"
        self.people = people
        self.audience = audience
        self.key = Key()
        self.codes = {}


class Requests(BaseHTTPRequestHandler):
    """The requests of a sign-in."""

    def do_GET(self):
        issuer = self.server.issuer
        target = urlsplit(self.path)
        if target.path == "/.well-known/openid-configuration":
            return self.send_json({
                "issuer": issuer, "authorization_endpoint": f"{issuer}/authorize", "token_endpoint": f"{issuer}/token",
                "jwks_uri": f"{issuer}/jwks", "response_types_supported": ["code"], "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["ES256"], "code_challenge_methods_supported": ["S256"]})
        if target.path == "/jwks":
            return self.send_json({"keys": [self.server.key.public]})
        if target.path == "/authorize":
            return self.choose(self.asked(target.query))
        return self.send_json({"error": "not_found"}, 404)

    def do_POST(self):
        target = urlsplit(self.path)
        length = int(self.headers.get("Content-Length", 0))
        if length > BODY_LIMIT:
            return self.send_json({"error": "invalid_request"}, 413)
        form = self.asked(self.rfile.read(length).decode())
        if target.path == "/authorize":
            return self.admit(self.asked(target.query), form.get("person", ""))
        if target.path == "/token":
            return self.exchange(form)
        return self.send_json({"error": "not_found"}, 404)

    def do_OPTIONS(self):
        self.send(b"", "text/plain", 204)

    @staticmethod
    def asked(text):
        """Returns the parameters of a query or of a form."""
        return {name: values[0] for name, values in parse_qs(text, keep_blank_values=True).items()}

    @staticmethod
    def fault(asked):
        """Returns why an authorization cannot be asked for, or None."""
        if asked.get("response_type") != "code" or not asked.get("client_id"):
            return "response_type is code, and client_id is needed"
        if urlsplit(asked.get("redirect_uri", "")).hostname not in ("127.0.0.1", "localhost"):
            return "redirect_uri is on this machine"
        if asked.get("code_challenge_method") != "S256" or not asked.get("code_challenge"):
            return "PKCE with S256 is needed"
        return None

    def choose(self, asked):
        """Shows the people."""
        if fault := self.fault(asked):
            return self.send_json({"error": "invalid_request", "error_description": fault}, 400)
        buttons = "".join(f'<p><button name="person" value="{html.escape(one)}">{html.escape(one)}</button>' for one in self.server.people)
        page = f"<!doctype html><html lang=en><meta charset=utf-8><title>Sign in</title><h1>Who are you?</h1><form method=post>{buttons}</form>"
        return self.send(page.encode(), "text/html; charset=utf-8")

    def admit(self, asked, person):
        """Leads the person back, with a code."""
        if fault := self.fault(asked) or (None if person in self.server.people else "there is no such person"):
            return self.send_json({"error": "invalid_request", "error_description": fault}, 400)
        code = secrets.token_urlsafe(32)
        self.server.codes[code] = (time.time() + CODE_SECONDS, asked, person)
        back = asked["redirect_uri"] + "?" + urlencode({"code": code, "state": asked.get("state", "")})
        return self.send(b"", "text/plain", 303, {"Location": back})

    def exchange(self, form):
        """Answers with tokens for a code, once, to the page that has the verifier of its challenge."""
        end, asked, person = self.server.codes.pop(form.get("code"), (0, {}, ""))
        challenge = base64url(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        is_same = all(form.get(name) == asked.get(name) for name in ("client_id", "redirect_uri"))
        if time.time() > end or form.get("grant_type") != "authorization_code" or challenge != asked.get("code_challenge") or not is_same:
            return self.send_json({"error": "invalid_grant"}, 400)
        now = int(time.time())
        claims = {"iss": self.server.issuer, "sub": person, "aud": self.server.audience, "iat": now, "exp": now + LIFE_SECONDS}
        if role := self.server.people[person]:
            claims["role"] = role
        identity = {**claims, "aud": asked["client_id"], "nonce": asked.get("nonce", "")}
        return self.send_json({"access_token": self.server.key.token(claims), "id_token": self.server.key.token(identity),
                               "token_type": "Bearer", "expires_in": LIFE_SECONDS})

    def send_json(self, value, status=200):
        self.send(json.dumps(value).encode(), "application/json", status)

    def send(self, body, kind, status=200, fields=None):
        self.send_response(status)
        cors = {"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "Content-Type"}
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), "Cache-Control": "no-store", **cors, **(fields or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Logs nothing: a line would have the code."""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=9000)
    parser.add_argument("--people", default="ada,bob,eve:editor", help="names, each with a role if it has one")
    parser.add_argument("--audience", default="diary")
    options = parser.parse_args()
    people = {name: role for name, _, role in (one.partition(":") for one in options.people.split(","))}
    provider = Provider(options.port, people, options.audience)
    print(f"provider listening on {provider.issuer}", flush=True)
    try:
        provider.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
