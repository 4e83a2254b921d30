"""Clients of Scripts/nemesis that act and read in every way, each request at a node of their choice, with the tags and ids
that they have. The values say of which version they are, so each is compared with the tag beside it."""

import http.client
import json
import os
import re
import time
import traceback

SPACES = ["wide", "narrow"]
SEVERAL = "views?view=tally.total&view=tally.double"
# Each action of a space adds one, so the total is the version.
FEATURE = {
    "feature": "tally", "home": "space",
    "state": {"count": {"value": {"type": "integer"}, "initial": 0}},
    "actions": {"add": {"do": [{"set": "count", "to": "state.count + 1"}]}},
    "views": {"total": {"expression": "state.count"}, "double": {"expression": "state.count * 2"}},
}


def versions_of(tag):
    found = re.match(r'(?:W/)?"?(\d+)(?:\.(\d+))?', tag or "")
    return [int(number) if number else None for number in found.groups()] if found else [None, None]


def joined(one, two):
    return [max((number for number in pair if number is not None), default=None) for pair in zip(one, two)]


class Wanderer:
    """One client. It does one thing after the other, so what it has seen is known at each moment."""

    def __init__(self, name, history, chance, request, connect, fields, nodes, now):
        (self.name, self.history, self.chance, self.request) = (name, history, chance, request)
        (self.connect, self.fields, self.nodes, self.now) = (connect, fields, nodes, now)
        self.known = {}
        self.seen = {space: [None, None] for space in SPACES}
        self.tags = {}
        self.count = 0

    def run(self, stop):
        try:
            self.wander(stop)
        except Exception:
            # A client that ends early would find nothing.
            traceback.print_exc()
            os._exit(1)

    def wander(self, stop):
        steps = [self.act] * 3 + [self.look] * 3 + [self.near, self.poll, self.look_back] + [self.follow] * 4 + [self.live]
        while not stop.is_set():
            try:
                self.chance.choice(steps)(self.chance.choice(SPACES))
            except (OSError, http.client.HTTPException):
                time.sleep(0.05)
            time.sleep(self.chance.uniform(0, 0.01))

    # What it sees

    def show(self, space, place, begin, versions, values, asked=None, fresh=True):
        known = {"tally.total": lambda value: [value, None], "tally.double": lambda value: [value // 2, None]}
        self.history.write(
            op="show", client=self.name, space=space, place=place, begin=begin, versions=versions,
            asked=asked or [None, None], fresh=fresh,
            values={view: known[view](value) for view, value in values.items() if view in known})
        self.seen[space] = joined(self.seen[space], versions)

    def path(self):
        return self.chance.choice([SEVERAL, "tally/total", "tally/double"])

    @staticmethod
    def values(content, path):
        return content if path == SEVERAL else {path.replace("/", "."): content}

    # What it does

    def act(self, space):
        self.count += 1
        key, begin = f"{self.name}-{self.count}", self.now()
        views = "?" + SEVERAL[6:] if self.chance.random() < 0.5 else ""
        outcome, version = "unknown", None
        try:
            status, fields, content = self.request(
                self.chance.randrange(self.nodes), "POST", f"/v1/spaces/{space}/tally/add{views}", {},
                {"Idempotency-Key": key})
            if status == 200:
                answer = json.loads(content)
                outcome, version = "ok", answer["version"]
        finally:
            rest = {"version": version} if version else {}
            self.history.write(op="add", space=space, element=key, begin=begin, end=self.now(), outcome=outcome, **rest)
        if outcome != "ok":
            return
        tag = fields["ETag"] if views else None
        # A repeat shows the views of a later version.
        if fields.get("Idempotency-Replayed") != "true":
            self.show(space, f"answer {key}", begin, versions_of(tag) if tag else [version, None],
                      answer.get("views", {}))
        if tag:
            self.tags[space] = tag.strip('"')

    def read(self, space, path, query="", fields=None, asked=None, fresh=True):
        node, begin = self.chance.randrange(self.nodes), self.now()
        target = f"/v1/spaces/{space}/{path}"
        if query:
            target += ("&" if "?" in path else "?") + query
        status, answer, content = self.request(node, "GET", target, None, fields)
        if status != 200:
            return
        tag = answer["ETag"].strip('"')
        values = self.values(json.loads(content), path)
        self.show(space, f"GET {target} {fields} at {node}", begin, versions_of(tag), values, asked, fresh)
        self.known[space, path] = (tag, values)
        self.tags[space] = tag

    def look(self, space):
        path, tag = self.path(), None
        if self.chance.random() < 0.5:
            tag = self.known.get((space, path), (None,))[0]
        self.read(space, path, fields={"If-None-Match": f'"{tag}"'} if tag else None,
                  asked=versions_of(tag) if tag else None)

    def near(self, space):
        tag = self.tags.get(space)
        if tag:
            self.read(space, self.path(), f"atLeast={tag}", {"Prefer": "near"}, versions_of(tag), fresh=False)

    def poll(self, space):
        path = self.path()
        tag = self.known.get((space, path), (None,))[0]
        if tag:
            self.read(space, path, f"since={tag}&wait=2", asked=versions_of(tag))

    def look_back(self, space):
        newest = self.seen[space][0]
        if not newest:
            return
        version, begin = self.chance.randint(max(1, newest - 50), newest), self.now()
        status, _, content = self.request(
            self.chance.randrange(self.nodes), "GET", f"/v1/spaces/{space}/tally/total?at={version}")
        if status == 200:
            self.show(space, f"at={version}", begin, [version, None], {"tally.total": json.loads(content)}, fresh=False)

    def stream(self, target, last, take):
        """Passes the id and the data of each event to `take`, for a while."""
        node = self.chance.randrange(self.nodes)
        connection = self.connect(node)
        place = f"stream {target} after {last} at {node}"
        try:
            answer = self.events(connection, target, last)
            if answer.status != 200:
                return answer.read()
            seconds = self.chance.choice([0.02, 0.02, 0.1, 1])
            end = time.monotonic() + seconds
            answer.fp.raw._sock.settimeout(seconds)
            id, name = None, None
            while time.monotonic() < end:
                line = answer.readline().decode()
                if not line:
                    break
                line = line.rstrip("\n")
                if line.startswith("event: "):
                    name = line[7:]
                if line.startswith("id: "):
                    id = line[4:]
                if line.startswith("data: ") and name is None:
                    take(id, json.loads(line[6:]), place)
                if not line:
                    id, name = None, None
        except TimeoutError:
            pass
        finally:
            connection.close()

    def follow(self, space):
        path, begin = self.path(), self.now()
        tag, values = self.known.get((space, path), (None, {}))
        if self.chance.random() < 0.2:
            (tag, values) = (self.tags.get(space), {})
        state = {"asked": versions_of(tag) if tag else [None, None], "values": dict(values), "fresh": True}

        def take(id, data, place):
            state["values"].update(self.values(data, path))
            versions = versions_of(id)
            self.show(space, place, begin, versions, state["values"], state["asked"], state["fresh"])
            state.update(asked=versions, fresh=False)
            self.known[space, path] = (id, dict(state["values"]))
            self.tags[space] = id

        self.stream(f"/v1/spaces/{space}/{path}", tag, take)

    def live(self, _):
        begin = self.now()
        watched = "&".join(f"watch={space}/tally.{view}" for space in SPACES for view in ["total", "double"])
        last, values = self.known.get("live", (None, {}))
        state = {"values": dict(values), "asked": dict(self.seen), "fresh": True}

        def take(id, data, place):
            numbers = data.pop("_versions")
            state["values"].update(data)
            state.setdefault("numbers", {}).update(numbers)
            self.known["live"] = (id, dict(state["values"]))
            for space, text in numbers.items():
                own = {name[len(space) + 1:]: value for name, value in state["values"].items()
                       if name.startswith(f"{space}/")}
                self.show(space, place, begin, versions_of(text), own, state["asked"][space], state["fresh"])
                state["asked"][space] = versions_of(text)
            state["fresh"] = False

        self.stream(f"/v1/live?{watched}", last, take)

    def events(self, connection, target, last):
        fields = {**self.fields, "Accept": "text/event-stream"}
        if last:
            fields["Last-Event-ID"] = last
        connection.request("GET", target, headers=fields)
        return connection.getresponse()
