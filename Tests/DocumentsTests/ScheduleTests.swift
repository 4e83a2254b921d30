@testable import Hosting
import JSON
import StateStore
import Testing

@testable import Documents

/// Law DOC5: a schedule fires once for each row and time, in one commit, also after a restart.
struct ScheduleTests {
    static let document = #"""
        {"feature": "board", "home": "space",
         "state": {
           "cards": {"table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {
             "due": {"type": ["string", "null"], "format": "date-time", "default": null},
             "rounds": {"type": "integer", "default": 0}}}}},
           "close": {"value": {"type": ["string", "null"], "format": "date-time"}, "initial": null},
           "isOpen": {"value": {"type": "boolean"}, "initial": true}},
         "actions": {
           "add": {"input": {"type": "object", "properties": {"id": {"type": "string"}, "seconds": {"type": "integer"}},
             "required": ["id", "seconds"]}, "do": [{"put": "cards", "key": "input.id",
               "row": "{'due': string(now + duration(string(input.seconds) + 's'))}"}]},
           "touch": {"input": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
             "do": [{"update": "cards", "key": "input.id", "with": "{'rounds': row.rounds}"}]},
           "expire": {"input": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
             "allow": "false",
             "require": [{"that": "input.id != 'no'", "else": {"status": 409, "detail": "never {input.id}",
               "pointer": "/id"}}],
             "do": [{"update": "cards", "key": "input.id", "with": "{'rounds': row.rounds + 1}"}]},
           "closeIn": {"input": {"type": "object", "properties": {"seconds": {"type": "integer"}},
             "required": ["seconds"]},
             "do": [{"set": "close", "to": "string(now + duration(string(input.seconds) + 's'))"}]},
           "shut": {"do": [{"set": "isOpen", "to": "false"}]}},
         "views": {
           "rounds": {"from": "cards", "sum": "row.rounds"}, "isOpen": {"expression": "state.isOpen"}},
         "schedules": {
           "remind": {"for": "cards", "at": "row.due", "act": "expire", "input": "{'id': key}"},
           "closing": {"for": "close", "at": "state.close", "act": "shut"}},
         "tests": [{"name": "a card expires in time", "steps": [
           {"act": "add", "input": {"id": "a", "seconds": 60}}, {"after": 59}, {"expect": {"rounds": 0}},
           {"after": 1}, {"expect": {"rounds": 1}}, {"after": 86400}, {"expect": {"rounds": 1}}]}]}
        """#

    private let journal = MemoryJournal()

    private func server(_ document: String = Self.document, after seconds: Int = 0) throws -> DocumentServer {
        let executor = SimulatedExecutor(from: TrialServer.start)
        executor.advance(.seconds(seconds))
        return try DocumentServer([parse(document)], journal, executor)
    }

    private func commits(_ space: SpaceName = SpaceName("test") ?? .common) throws -> [CommitRecord] {
        switch try journal.read(space, after: 0, limit: 100) {
        case .commits(let records): records
        default: []
        }
    }

    private func advance(_ server: DocumentServer, _ seconds: Int) {
        #expect(server.server.advance(.seconds(seconds)) { true })
    }

    @Test func `a test of a document waits for its schedules`() throws {
        let features = try compile(["board": parse(Self.document)])
        let tests = FeatureCompiler().test(features, of: "board", beside: try Registry([])) { true }
        #expect(tests.failed.map(\.detail) == [])
        #expect(tests.passed == 1)
    }

    @Test func `a row fires once for each time`() throws {
        let server = try server()
        try server.act("board/add", ["id": "a", "seconds": 60])
        try server.act("board/add", ["id": "b", "seconds": 60])
        advance(server, 60)
        #expect(try server.view("board.rounds") == 2)
        #expect(try commits().map(\.action) == ["board/add", "board/add", "board/expire", "board/expire"])
        try server.act("board/touch", ["id": "a"])
        advance(server, 600)
        #expect(try server.view("board.rounds") == 2)
        try server.act("board/add", ["id": "a", "seconds": 10])
        advance(server, 10)
        #expect(try server.view("board.rounds") == 2)
        #expect(try commits().last?.action == "board/expire")
    }

    @Test func `a firing that is moved comes at its new time only`() throws {
        let server = try server()
        try server.act("board/add", ["id": "a", "seconds": 60])
        try server.act("board/add", ["id": "a", "seconds": 120])
        advance(server, 119)
        #expect(try server.view("board.rounds") == 0)
        advance(server, 1)
        #expect(try server.view("board.rounds") == 1)
    }

    @Test func `a firing survives a restart, and does not come again`() throws {
        try server().act("board/add", ["id": "a", "seconds": 60])
        let second = try server(after: 30)
        advance(second, 29)
        #expect(try commits().count == 1)
        advance(second, 1)
        #expect(try commits().map(\.action) == ["board/add", "board/expire"])
        let third = try server(after: 61)
        try third.act("board/touch", ["id": "a"])
        advance(third, 1_000)
        #expect(try commits().count { $0.action == "board/expire" } == 1)
    }

    @Test func `an overdue firing comes at the start`() throws {
        try server().act("board/add", ["id": "a", "seconds": 60])
        let late = try server(after: 86_400)
        advance(late, 0)
        #expect(try commits().map(\.action) == ["board/add", "board/expire"])
    }

    @Test func `many rows of one time fire each in a commit`() throws {
        let server = try server()
        for number in 0..<40 { try server.act("board/add", ["id": .string("r\(number)"), "seconds": 60]) }
        advance(server, 60)
        #expect(try server.view("board.rounds") == 40)
        #expect(try commits().count == 80)
    }

    @Test func `a refused firing is a commit, and does not come again`() throws {
        let server = try server()
        try server.act("board/add", ["id": "no", "seconds": 5])
        advance(server, 100)
        let last = try #require(try commits().last)
        #expect(try commits().count == 2)
        #expect(last.action == "schedules/refused")
        #expect(
            try JSON(parsing: last.input ?? []) == [
                "schedule": "board.remind", "key": "no",
                "problem": ["status": 409, "detail": "never no", "pointer": "/id"],
            ])
        let restarted = try self.server(after: 200)
        advance(restarted, 100)
        #expect(try commits().count == 2)
    }

    @Test func `a variable has a schedule`() throws {
        let server = try server()
        try server.act("board/closeIn", ["seconds": 30])
        advance(server, 29)
        #expect(try server.view("board.isOpen") == true)
        advance(server, 1)
        #expect(try server.view("board.isOpen") == false)
    }

    @Test(arguments: ["state.isOpen ? state.close : null", "has(state.isOpen) && state['isOpen'] ? row : null"])
    func `the time of a variable follows the other variables that it reads`(_ time: String) throws {
        let server = try server(Self.document.replacing("\"at\": \"state.close\"", with: "\"at\": \"\(time)\""))
        try server.act("board/closeIn", ["seconds": 30])
        try server.act("board/shut")
        advance(server, 100)
        #expect(try commits().map(\.action) == ["board/closeIn", "board/shut"])
    }

    @Test func `a feature in common has schedules`() throws {
        let document = Self.document.replacing("\"home\": \"space\"", with: "\"home\": \"common\"")
        let server = try server(document)
        try server.act("board/add", ["id": "a", "seconds": 60])
        advance(server, 60)
        #expect(try server.view("board.rounds") == 1)
        #expect(try commits(.common).map(\.action) == ["board/add", "board/expire"])
    }

    @Test func `another document gives other times`() throws {
        try server().act("board/add", ["id": "a", "seconds": 60])
        let later = Self.document.replacing(
            "\"at\": \"row.due\"",
            with: "\"at\": \"row.due == null ? null : timestamp(row.due) + duration('60s')\"")
        let replaced = try server(later, after: 50)
        advance(replaced, 69)
        #expect(try commits().count == 1)
        advance(replaced, 1)
        #expect(try commits().map(\.action) == ["board/add", "board/expire"])
    }

    @Test(arguments: [
        ("\"at\": \"row.due\"", "\"at\": \"row.dew\"", "/schedules/remind/at"),
        ("\"at\": \"row.due\"", "\"at\": \"row.rounds\"", "/schedules/remind/at"),
        ("\"at\": \"row.due\"", "\"at\": \"now\"", "/schedules/remind/at"),
        ("\"input\": \"{'id': key}\"", "\"input\": \"{'id': kei}\"", "/schedules/remind/input"),
        ("\"for\": \"close\"", "\"for\": \"closed\"", "/schedules/closing/for"),
    ])
    func `a faulty schedule is refused`(_ old: String, _ new: String, _ place: String) throws {
        let found = faults(try parse(Self.document.replacing(old, with: new)))
        #expect(!found.isEmpty && found.allSatisfy { $0.hasPrefix(place + ":") }, "\(found)")
    }
}
