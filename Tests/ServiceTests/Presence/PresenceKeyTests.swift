import JSON
import ServiceInProcess
import Testing

/// The row of a present client satisfies the schemas of its table, also that of the key.
@Suite struct PresenceKeyTests {
    private static let document = #"""
        {"feature": "r", "home": "space",
         "state": {"here": {"table": {"key": {"type": "string", "maxLength": 3},
           "row": {"type": "object", "properties": {"c": {"type": "integer"}}}}, "kept": false, "presence": true}},
         "views": {"here": {"from": "here", "select": "key"}}}
        """#

    @Test func `a key that the schema does not permit is refused, and no row is made`() throws {
        let service = try ServiceInProcess()
        #expect(try service.ask("PUT /v1/features/r", [:], Self.document).status == 201)
        let path = "GET /v1/spaces/a/r/here?events=1&presence=r.here&as="
        let refused = try service.ask(path + "abcd")
        #expect(try refused.status == 422 && refused.json["pointer"] == "/as", "\(refused.body)")
        #expect(try refused.json["type"] == "/problems/invalid")
        #expect(try service.ask(path + "abcd&with=%7B%22c%22%3A1%7D").status == 422)
        let wrong = try service.ask(path + "abc&with=%7B%22c%22%3A%22x%22%7D")
        #expect(try wrong.status == 422 && wrong.json["pointer"] == "/with")
        #expect(try service.ask("GET /v1/spaces/a/r/here").body == "[]")
    }
}
