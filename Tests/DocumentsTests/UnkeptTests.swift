import JSON
import StateStore
import Testing

@testable import Documents

/// Tables whose rows are in memory only.
struct UnkeptTests {
    private static let document = #"""
        {"feature": "room", "home": "space",
         "state": {"topic": {"value": {"type": "string"}, "initial": ""},
           "here": {"table": {"key": {"type": "string"}, "row": {"type": "object"}}, "kept": false}},
         "actions": {
           "come": {"input": {"type": "object", "properties": {"as": {"type": "string"}}, "required": ["as"]},
             "do": [{"put": "here", "key": "input.as", "row": "{'at': string(now)}"}]}},
         "views": {
           "topic": {"expression": "state.topic"}, "here": {"from": "here", "select": "key"},
           "count": {"expression": "size(state.here)"}, "crowd": {"expression": "views.count > 1"}}}
        """#

    @Test func `an action changes an unkept table, and views show it`() throws {
        let server = try DocumentServer(parse(Self.document))
        try server.act("room/come", ["as": "ada"])
        try server.act("room/come", ["as": "bob"])
        #expect(try server.view("room.here") == ["ada", "bob"])
        #expect(try server.view("room.crowd") == true)
    }

    // Law DOC12
    @Test func `rows in memory only stand in the order of their first adding`() throws {
        let server = try DocumentServer(parse(Self.document))
        for name in ["zoe", "bob", "ada", "bob"] { try server.act("room/come", ["as": .string(name)]) }
        #expect(try server.view("room.here") == ["zoe", "bob", "ada"])
    }

    @Test func `a view that derives from an unkept table has no past`() throws {
        let feature = try #require(try compile(["room": parse(Self.document)])["room"])
        let kept = feature.views.filter { $0.isKept }.map { $0.label }
        #expect(kept == ["topic"])
        #expect(feature.state.map { $0.isKept } == [true, false])
    }

    @Test func `an action that writes both kinds of state is refused`() throws {
        let both = Self.document.replacing(
            "{'at': string(now)}\"}", with: "{'at': string(now)}\"}, {\"set\": \"topic\", \"to\": \"'x'\"}")
        #expect(faults(try parse(both)).first?.hasPrefix("/actions/come/do: ") == true)
        let common = Self.document.replacing("\"home\": \"space\"", with: "\"home\": \"common\"")
        #expect(faults(try parse(common)) == ["/state/here/kept: tables in common are kept"])
    }
}
