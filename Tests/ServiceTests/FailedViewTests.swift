import JSON
import ServiceInProcess
import Testing

/// Law P9 over HTTP: a view that failed has a value again as soon as it can be computed.
@Suite struct FailedViewTests {
    private static let document = #"""
        {"feature": "f", "home": "space",
         "state": {"x": {"value": {"type": "integer"}, "initial": 0},
           "rows": {"table": {"key": {"type": "string"}, "row": {"type": "object"}}}},
         "actions": {"set": {"input": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]},
           "do": [{"set": "x", "to": "input.x"}, {"put": "rows", "key": "'a'", "row": "{'n': input.x}"}]}},
         "views": {"quotient": {"expression": "10 / state.x"}, "next": {"expression": "views.quotient + 1"},
           "rows": {"from": "rows", "select": "10 / row.n"}}}
        """#

    // Views that count as slow stay watched between reads.
    @Test(arguments: [-1, Int64.max]) func `a view that fails at first is read again later`(_ slow: Int64) throws {
        let service = try ServiceInProcess(slowNanoseconds: slow)
        #expect(try service.ask("PUT /v1/features/f", [:], Self.document).status == 201)
        for (value, quotient) in [(0, nil), (5, "2"), (0, nil), (0, nil), (1, "10")] {
            #expect(try service.ask("POST /v1/spaces/a/f/set", [:], #"{"x": \#(value)}"#).status == 200)
            for _ in 0..<2 {
                let reply = try service.ask("GET /v1/spaces/a/f/quotient")
                #expect(reply.status == (quotient == nil ? 500 : 200))
                if let quotient { #expect(reply.body == quotient) }
                let rows = try service.ask("GET /v1/spaces/a/f/rows")
                #expect(rows.body == "[\(quotient ?? "")]" || quotient == nil && rows.status == 500, "\(rows.body)")
                let next = try service.ask("GET /v1/spaces/a/views?view=f.next&view=f.quotient").json
                #expect((next["f.quotient"] == .null) == (quotient == nil))
                #expect((next["f.next"] == .null) == (quotient == nil))
            }
        }
    }
}
