import JSON
import ServiceInProcess
import Testing

/// Law DOC6 over HTTP, in virtual time.
@Suite struct RecurringScheduleTests {
    private static let document = #"""
        {"feature": "clock", "home": "space",
         "state": {"count": {"value": {"type": "integer"}, "initial": 0},
           "name": {"value": {"type": "string"}, "initial": ""}},
         "actions": {
           "name": {"input": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
             "do": [{"set": "name", "to": "input.name"}]},
           "tick": {"allow": "false", "do": [{"set": "count", "to": "state.count + 1"}]}},
         "views": {"count": {"expression": "state.count"}},
         "schedules": {"beat": {"every": 60, "exact": true, "act": "tick"}}}
        """#

    private func count(_ service: ServiceInProcess) throws -> String {
        try service.ask("GET /v1/spaces/a/clock/count").body
    }

    @Test func `a space that returns to its past does not fire again what it has fired since`() throws {
        let service = try ServiceInProcess()
        #expect(try service.ask("PUT /v1/features/clock", [:], Self.document).status == 201)
        #expect(try service.ask("POST /v1/spaces/a/clock/name", [:], #"{"name":"a"}"#).status == 200)
        service.advance(seconds: 300)
        #expect(try count(service) == "5")
        #expect(try service.ask("POST /v1/spaces/a/restore", [:], #"{"version": 2}"#).status == 200)
        #expect(try count(service) == "1")
        service.advance(seconds: 59)
        #expect(try ["1", "2"].contains(count(service)))
        service.advance(seconds: 121)
        #expect(try count(service) == "4")
        let changes = try service.ask("GET /v1/spaces/a/changes?since=0").json
        guard case .array(let commits) = changes else { return #expect(Bool(false), "\(changes)") }
        #expect(commits.count { $0["action"] == "clock/tick" } == 8)
    }
}
