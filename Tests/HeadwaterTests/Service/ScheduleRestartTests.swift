import Glibc
import JSON
import Testing

/// Laws DOC5 and DOC6 with the real server.
@Suite struct ScheduleRestartTests {
    private static let document = #"""
        {"feature": "clock", "home": "common",
         "state": {
           "rows": {"table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {
             "due": {"type": "string", "format": "date-time"}, "times": {"type": "integer", "default": 0}},
             "required": ["due"]}}},
           "beats": {"value": {"type": "integer"}, "initial": 0}},
         "actions": {
           "plan": {"do": [{"each": "lists.range(200)", "as": "i", "do": [{"put": "rows", "key": "string(i)",
             "row": "{'due': string(now + duration(string(i * 20) + 'ms'))}"}]}]},
           "fire": {"input": {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]},
             "do": [{"update": "rows", "key": "input.key", "with": "{'times': row.times + 1}"}]},
           "beat": {"do": [{"set": "beats", "to": "state.beats + 1"}]}},
         "views": {
           "fired": {"from": "rows", "where": "row.times > 0", "count": true},
           "times": {"from": "rows", "sum": "row.times"}, "beats": {"expression": "state.beats"}},
         "schedules": {
           "due": {"for": "rows", "at": "row.due", "act": "fire", "input": "{'key': key}"},
           "beat": {"every": 1, "act": "beat"}}}
        """#

    @Test func `each firing is one commit, although the server is killed again and again`() throws {
        let scratch = try Scratch()
        func serve() throws -> Service { try Service("--data", scratch.data, "--threads", "2") }
        func number(_ view: String, of server: Service) throws -> Int {
            Int(try server.ask("GET", "/v1/spaces/common/clock/\(view)").text) ?? -1
        }
        var server = try serve()
        #expect(try server.ask("PUT", "/v1/features/clock", Self.document).status == 201)
        #expect(try server.ask("POST", "/v1/spaces/common/clock/plan").status == 200)
        for _ in 0..<4 {
            let before = try number("fired", of: server)
            #expect(try server.eventually { try number("fired", of: server) >= min(before + 20, 200) })
            server.program.kill(SIGKILL)
            #expect(server.program.wait() == -SIGKILL)
            server = try serve()
        }
        #expect(try server.eventually { try number("fired", of: server) == 200 && number("beats", of: server) > 0 })
        #expect(try number("times", of: server) == 200)
        // No firing comes between the two answers, which are of one version.
        var beats = 0
        var changes: [JSON] = []
        #expect(
            try server.eventually {
                let whole = try server.ask("GET", "/v1/spaces/common/clock/beats")
                let answer = try server.ask("GET", "/v1/spaces/common/changes?since=0&limit=1000")
                guard case .array(let commits) = try answer.json else { return false }
                (beats, changes) = (Int(whole.text) ?? -1, commits)
                return try number("beats", of: server) == beats
            })
        func count(_ action: String) -> Int { changes.count { $0["action"] == .string(action) } }
        #expect(count("clock/fire") == 200)
        #expect(count("clock/beat") == beats)
        #expect(count("schedules/began") == 1)
        server.program.kill(SIGTERM)
        #expect(server.program.wait() == 0)
        #expect(try Program.run("check", scratch.data).status == 0)
    }
}
