import StateStore
import Testing

/// The work that an answer says its action has used.
@Suite struct UsedWorkTests {
    private static let document = #"""
        {"feature": "pad", "home": "space",
         "state": {"notes": {"table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}}}},
         "actions": {
           "add": {"input": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}, "do": [{"put": "notes", "key": "input.id", "row": "{'n': 1}"}]},
           "double": {"input": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}, "do": [{"update": "notes", "key": "input.id", "with": "{'n': state.notes[input.id].n * 2}"}]}
         },
         "views": {"all": {"from": "notes"}}}
        """#

    @Test func `an answer has the steps and the rows of its action`() throws {
        let server = try DeployedServer(MemoryJournal())
        try server.put(Self.document)
        let first = try server.act("pad/add", ["id": "a"]).used
        let second = try server.act("pad/double", ["id": "a"]).used
        #expect(first.steps > 0 && first.rows == 0, "\(first)")
        #expect(second.steps > first.steps && second.rows > 0, "\(second)")
    }
}
