import JSON
import StateStore
import Testing

@testable import Documents

/// Warnings of identifiers that serve as secrets.
struct SecretTests {
    private static func document(_ step: String, _ allow: String = "true") -> String {
        #"""
        {"feature": "doors", "home": "space",
         "state": {"doors": {"table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {
           "owner": {"type": "string"}, "code": {"type": "string", "private": true, "default": ""}, "tag": {"type": "string", "default": ""}}, "required": ["owner"]}}},
          "key": {"value": {"type": "string", "private": true}, "initial": ""}, "open": {"value": {"type": "string"}, "initial": ""}},
         "define": {"fresh": {"is": "newId()"}, "store": {"of": {"value": {"type": "string"}}, "do": [{"set": "key", "to": "value"}]}},
         "actions": {"make": {"let": [{"name": "id", "is": "newId()"}], "do": [\#(step)]},
           "use": {"input": {"type": "object", "properties": {"id": {"type": "string"}, "tag": {"type": "string"}}, "required": ["id", "tag"]}, "do": [{"set": "open", "to": "input.id"}], "allow": "\#(allow)"}}}
        """#
    }

    private func warnings(_ step: String, _ allow: String = "true") throws -> [DocumentFault] {
        let feature = try compile(["doors": parse(Self.document(step, allow))])["doors"]
        return try #require(feature as? CompiledFeature).warnings
    }

    @Test(arguments: [
        (#"{"put": "doors", "key": "newId()", "row": "{'owner': 'a', 'code': newId()}"}"#, "doors.code"),
        (#"{"put": "doors", "key": "'k'", "row": "{'owner': 'a', 'code': 'x' + id}"}"#, "doors.code"),
        (#"{"update": "doors", "key": "'k'", "with": "{'code': fresh()}"}"#, "doors.code"),
        (#"{"set": "key", "to": "size(state.open) > 0 ? newId() : ''"}"#, "key"),
        (#"{"call": "store", "with": {"value": "newId()"}}"#, "key"),
        (#"{"when": "true", "do": [{"set": "key", "to": "id"}]}"#, "key"),
    ])
    func `a private member that keeps an identifier is warned of`(_ step: String, _ place: String) throws {
        let warnings = try warnings(step)
        #expect(warnings.count == 1 && warnings[0].detail.hasPrefix("\(place) is private"), "\(warnings)")
        #expect(warnings.allSatisfy { $0.detail.contains("newSecret()") })
    }

    @Test func `a rule that compares a kept identifier is warned of`() throws {
        let step = #"{"put": "doors", "key": "newId()", "row": "{'owner': 'a', 'tag': newId()}"}"#
        let found = try warnings(step, "state.doors[input.id].tag == input.tag")
        #expect(found.map(\.detail) == ["the rule compares doors.tag, which keeps newId(): use newSecret()"])
        #expect(found.map { "\($0.pointer)" } == ["/actions/use/allow"])
        #expect(try warnings(step, "state.doors[input.id].owner == input.tag").isEmpty)
        #expect(try warnings(step, "newId() == input.tag").count == 1)
    }

    @Test func `keys, open members and secrets are not warned of`() throws {
        for step in [
            #"{"put": "doors", "key": "newId()", "row": "{'owner': 'a', 'tag': newId()}"}"#,
            #"{"put": "doors", "key": "newId()", "row": "{'owner': 'a', 'code': newSecret()}"}"#,
            #"{"set": "key", "to": "newSecret()"}"#,
        ] {
            #expect(try warnings(step).isEmpty)
        }
    }
}
