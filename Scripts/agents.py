"""Drives a server's /mcp with the official client of the Model Context Protocol. Scripts/agents starts it."""
import asyncio
import json
import sys

import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

ADDRESS, AUDIT = sys.argv[1:3]
NOTES = {
    "feature": "notes",
    "home": "space",
    "state": {"notes": {"table": {"key": {"type": "string"}, "row": {
        "type": "object", "properties": {"text": {"type": "string", "maxLength": 20}}, "required": ["text"]}}}},
    "actions": {"add": {
        "input": {"type": "object", "properties": {
            "id": {"type": "string"}, "text": {"type": "string", "maxLength": 20}, "space": {"type": "string", "default": ""}},
            "required": ["id", "text"]},
        "require": [{"that": "!(input.id in state.notes)", "else": {"status": 409, "detail": "there is a note {input.id}", "pointer": "/id"}}],
        "do": [{"put": "notes", "key": "input.id", "row": "{'text': input.text}"}],
        "answer": "size(state.notes)"}},
    "views": {"count": {"expression": "size(state.notes)"}, "all": {"from": "notes", "sort": ["key"]},
              "one": {"parameters": {"id": {"type": "string"}}, "expression": "input.id in state.notes ? state.notes[input.id].text : null"}},
    "tests": [{"name": "a note is added", "steps": [{"act": "add", "input": {"id": "a", "text": "x"}}, {"expect": {"notes.count": 1}}]}],
}
COUNT = "headwater://spaces/main/notes/count"


class Failed(Exception):
    pass


def agent(token, mode="auto", handler=None, address=ADDRESS):
    headers = {"Authorization": f"Bearer {token}-token-of-the-test"}
    transport = streamable_http_client(address, http_client=httpx2.AsyncClient(headers=headers, timeout=30))
    return Client(transport, mode=mode, message_handler=handler)


def check(condition, *words):
    if not condition:
        raise Failed(*words)


async def refused(call, code=None):
    try:
        await call
    except MCPError as error:
        check(code is None or error.code == code, error.code, error.error)
        return error
    raise Failed("nothing was refused")


async def tools(mode):
    async with agent("admin", mode) as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        check("cart_add" in listed and "headwater_why" in listed and "headwater_put_feature" in listed, sorted(listed))
        schema = listed["cart_add"].input_schema
        check(schema["type"] == "object" and {"space", "rehearse", "key"} <= set(schema["properties"]), schema)

        seen = await client.call_tool("headwater_put_feature", {"feature": "notes", "document": NOTES, "rehearse": True})
        check(not seen.is_error, seen)
        tested = await client.call_tool("headwater_test_feature", {"document": NOTES})
        check(tested.structured_content == {"passed": 1, "failed": []}, tested)
        wrong = await client.call_tool("headwater_put_feature", {"feature": "notes", "document": {**NOTES, "home": "nowhere"}})
        check(wrong.is_error and wrong.structured_content["status"] == 422, wrong)
        put = await client.call_tool("headwater_put_feature", {"feature": "notes", "document": NOTES})
        check(not put.is_error, put)
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        check(set(listed["notes_add"].input_schema["properties"]) == {"id", "text", "space", "_space", "rehearse", "views", "key"},
              listed["notes_add"].input_schema)

        tried = await client.call_tool("notes_add", {"id": "a", "text": "hello", "rehearse": True, "views": ["notes.count"]})
        check((tried.structured_content or {}).get("views") == {"notes.count": 1}, tried)
        read = await client.call_tool("headwater_read", {"view": "notes.count"})
        check(read.structured_content == {"value": 0}, read)
        done = await client.call_tool("notes_add", {"id": "a", "text": "hello", "key": f"k-{mode}"})
        check(not done.is_error and done.structured_content["result"] == 1, done)
        again = await client.call_tool("notes_add", {"id": "a", "text": "hello", "key": f"k-{mode}"})
        check(again.structured_content == done.structured_content, again)
        same = await client.call_tool("notes_add", {"id": "a", "text": "hello"})
        check(same.is_error and same.structured_content["pointer"] == "/id" and "there is a note a" in same.content[0].text, same)
        long = await client.call_tool("notes_add", {"id": "b", "text": "x" * 21})
        check(long.is_error and long.structured_content["type"] == "/problems/invalid", long)
        other = await client.call_tool("notes_add", {"id": "b", "text": "there", "_space": "other"})
        check(other.structured_content["space"] == "other", other)
        several = await client.call_tool("headwater_perform", {"actions": [
            {"name": "notes/add", "input": {"id": "c", "text": "1"}}, {"name": "notes/add", "input": {"id": "d", "text": "2"}}]})
        check(several.structured_content["results"] == [2, 3], several)
        why = await client.call_tool("headwater_why", {"view": "notes.count"})
        check(why.structured_content["variables"][0]["commit"]["by"] == {"sub": "root"}, why)
        changes = await client.call_tool("headwater_changes", {"since": 0})
        check(len(changes.structured_content["changes"]) >= 2, changes)
        spaces = await client.call_tool("headwater_spaces", {})
        check(not spaces.is_error and "main" in spaces.content[0].text, spaces)
        await refused(client.call_tool("notes_none", {}), -32602)
        await refused(client.call_tool("headwater_read", {"view": "notes.count", "nonsense": 1}), -32602)


async def resources(mode):
    async with agent("act", mode) as client:
        listed = [resource.uri for resource in (await client.list_resources()).resources]
        check(COUNT in listed, listed)
        templates = [template.uri_template for template in (await client.list_resource_templates()).resource_templates]
        check("headwater://spaces/{space}/notes/one{?id}" in templates, templates)
        check(json.loads((await client.read_resource(COUNT)).contents[0].text) == 3, mode)
        one = await client.read_resource("headwater://spaces/main/notes/one?id=a")
        check(json.loads(one.contents[0].text) == "hello", one)
        await refused(client.read_resource("headwater://spaces/main/notes/nothing"))
        await refused(client.read_resource("headwater://spaces/other/notes/count"))
        await refused(client.read_resource("file:///etc/passwd"))
        await refused(client.read_resource("headwater://features/notes"))


async def rights(mode):
    async with agent("read", mode) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        check("headwater_read" in names and "notes_add" not in names and "headwater_put_feature" not in names, names)
        act = await client.call_tool("notes_add", {"id": "z", "text": "no"})
        check(act.is_error and act.structured_content["status"] == 403, act)
        put = await client.call_tool("headwater_put_feature", {"feature": "notes", "document": NOTES})
        check(put.is_error and put.structured_content["status"] == 403, put)
    try:
        async with agent("no", mode) as client:
            await client.list_tools()
    except BaseExceptionGroup:
        return
    raise Failed("a stranger was let in")


async def subscriptions():
    async with agent("act") as client:
        async with client.listen(resource_subscriptions=[COUNT, "headwater://spaces/other/notes/count"],
                                 tools_list_changed=True) as stream:
            check(stream.honored.resource_subscriptions == [COUNT], stream.honored)
            await client.call_tool("notes_add", {"id": "live", "text": "x"})
            event = await asyncio.wait_for(stream.__anext__(), 20)
            check(event.uri == COUNT, event)
            async with agent("admin") as admin:
                await admin.call_tool("headwater_put_feature", {"feature": "notes", "document": {**NOTES, "views": {
                    **NOTES["views"], "twice": {"expression": "2 * size(state.notes)"}}}})
            event = await asyncio.wait_for(stream.__anext__(), 20)
            check("ToolsListChanged" in repr(event), event)


async def sessions():
    told = asyncio.Queue()

    async def handler(message):
        await told.put(message)

    async with agent("act", "legacy", handler) as client:
        await client.send_ping()
        await client.subscribe_resource(COUNT)
        await asyncio.sleep(1)  # the client opens its stream in the background
        await client.call_tool("notes_add", {"id": "session", "text": "x"})
        while True:
            message = await asyncio.wait_for(told.get(), 20)
            if "ResourceUpdated" in type(message).__name__ or "ResourceUpdated" in repr(message):
                break
        await client.unsubscribe_resource(COUNT)


async def main():
    for mode in ("auto", "legacy"):
        await tools(mode)
        await resources(mode)
        await rights(mode)
        if mode == "auto":
            async with agent("admin") as admin:
                gone = await admin.call_tool("headwater_delete_feature", {"feature": "notes", "state": "drop"})
                check(not gone.is_error, gone)
    await subscriptions()
    await sessions()
    with open(AUDIT) as lines:
        audited = [json.loads(line) for line in lines]
    check(any(line.get("action") == "notes/add" for line in audited), audited[-3:])
    check(any(line.get("rehearsal") for line in audited) or any("rehears" in json.dumps(line) for line in audited), audited[-3:])
    print("the client of the Model Context Protocol agrees: tools, resources, subscriptions, rights, both versions")


try:
    asyncio.run(main())
except BaseExceptionGroup as group:
    while isinstance(group, BaseExceptionGroup):
        group = group.exceptions[0]
    trace = group.__traceback__
    while trace.tb_next and trace.tb_next.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    sys.exit(f"line {trace.tb_lineno}: {group!r}")
