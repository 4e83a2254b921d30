import JSON
import ServiceInProcess
import Testing

/// Law U1: a view of rows in memory only has no past, also if its document came after the space.
@Suite struct UnkeptHistoryTests {
    private static let document = #"""
        {"feature": "r", "home": "space",
         "state": {"x": {"value": {"type": "integer"}, "initial": 0},
           "here": {"table": {"key": {"type": "string"}, "row": {"type": "object"}}, "kept": false}},
         "actions": {"inc": {"do": [{"set": "x", "to": "state.x + 1"}]}},
         "views": {"here": {"from": "here"}, "count": {"expression": "size(state.here)"},
           "next": {"expression": "views.count + 1"}, "x": {"expression": "state.x"}}}
        """#

    @Test(arguments: ["here", "count", "next"], ["/history", "?at=1", "/history?events=1", "/history?since=0"])
    func `a view of a document over rows in memory has no past`(_ view: String, _ path: String) throws {
        let service = try ServiceInProcess()
        #expect(try service.ask("PUT /v1/features/r", [:], Self.document).status == 201)
        #expect(try service.ask("POST /v1/spaces/a/r/inc", [:], "").status == 200)
        let reply = try service.ask("GET /v1/spaces/a/r/\(view)\(path)")
        #expect(try reply.status == 409 && reply.json["type"] == "/problems/not-kept", "\(reply.status) \(reply.body)")
        guard case .array(let rows) = try service.ask("GET /v1/spaces/a/r/x/history").json else { return }
        #expect(rows.map { $0["value"] } == [0, 1])
    }
}
