@testable import Hosting
import JSON
import StateStore
import Testing

@testable import Documents

/// Law CALM4: firings that firings ask for come at a bounded pace.
struct FollowUpTests {
    private static let document = #"""
        {"feature": "loop", "home": "space",
         "state": {"jobs": {"table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {
             "at": {"type": "string", "format": "date-time"}}}}},
           "next": {"value": {"type": ["string", "null"], "format": "date-time"}, "initial": null},
           "count": {"value": {"type": "integer"}, "initial": 0}},
         "actions": {
           "add": {"input": {"type": "object", "properties": {"from": {"type": "integer"}, "to": {"type": "integer"},
               "seconds": {"type": "integer"}}, "required": ["from", "to", "seconds"]},
             "do": [{"each": "lists.range(input.to - input.from)", "as": "i", "do": [
               {"put": "jobs", "key": "string(input.from + i)",
                "row": "{'at': string(now + duration(string(input.seconds) + 's'))}"}]}]},
           "begin": {"do": [{"set": "next", "to": "string(now)"}]},
           "again": {"input": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
             "do": [{"set": "count", "to": "state.count + 1"},
               {"put": "jobs", "key": "input.id", "row": "{'at': string(now + duration('1ms'))}"}]},
           "hourly": {"do": [{"set": "count", "to": "state.count + 1"},
             {"set": "next", "to": "string(now + duration('1ms'))"}]}},
         "views": {"count": {"expression": "state.count"}},
         "schedules": {"tick": {"for": "jobs", "at": "row.at", "act": "again", "input": "{'id': key}"},
           "beat": {"for": "next", "at": "state.next", "act": "hourly"}}}
        """#

    private func server() throws -> DocumentServer {
        try DocumentServer([parse(Self.document)], MemoryJournal(), SimulatedExecutor(from: TrialServer.start))
    }

    @Test(arguments: [1, 3])
    func `rows that set their own time to the present fire ten times a second`(_ rows: Int) throws {
        let server = try server()
        try server.act("loop/add", ["from": 0, "to": .number(Decimal(rows)), "seconds": 0])
        #expect(server.server.advance(.seconds(4)) { true })
        guard case .number(let count) = try server.view("loop.count") else { return #expect(Bool(false)) }
        #expect((40...(50 + rows)).contains(count.int64.map { Int($0) } ?? 0))
    }

    @Test func `a variable that sets its own time to the present fires ten times a second`() throws {
        let server = try server()
        try server.act("loop/begin", [:])
        #expect(server.server.advance(.seconds(4)) { true })
        guard case .number(let count) = try server.view("loop.count") else { return #expect(Bool(false)) }
        #expect((40...52).contains(count.int64.map { Int($0) } ?? 0))
    }

    @Test func `many rows that are due at once fire at once`() throws {
        let server = try server()
        try server.act("loop/add", ["from": 0, "to": 500, "seconds": 60])
        #expect(server.server.advance(.seconds(60)) { true })
        guard case .number(let count) = try server.view("loop.count") else { return #expect(Bool(false)) }
        #expect((500...511).contains(count.int64.map { Int($0) } ?? 0))
    }
}
