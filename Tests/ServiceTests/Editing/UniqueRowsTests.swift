import Documents
import JSON
import ServiceInProcess
import Testing

/// Unique indexes on every road that writes rows.
@Suite struct UniqueRowsTests {
    private static let main = "/v1/spaces/main"

    private static func document(isUnique: Bool, _ more: String = "") -> String {
        #"""
        {"feature": "slots", "home": "space",
         "state": {"slots": {
           "table": {"key": {"type": "string"}, "row": {"type": "object",
             "properties": {"room": {"type": "string"}, "size": {"type": "integer", "default": 1}}, "required": ["room"]}},
           "indexes": {"byRoom": {"by": ["row.room"], "unique": \#(isUnique)},
             "bySize": {"by": ["12 / row.size"]}}\#(more)}},
         "actions": {
           "take": {"input": {"type": "object", "properties": {"id": {"type": "string"}, "room": {"type": "string"}}, "required": ["id", "room"]},
             "do": [{"put": "slots", "key": "input.id", "row": "{'room': input.room}"}]},
           "free": {"input": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
             "do": [{"remove": "slots", "key": "input.id"}]}},
         "views": {"all": {"from": "slots", "sort": ["key"], "select": "key + row.room"}}}
        """#
    }

    private func service(isUnique: Bool = true) throws -> ServiceInProcess {
        let service = try ServiceInProcess()
        #expect(try put(service, Self.document(isUnique: isUnique)).status == 201)
        #expect(try take(service, "one", "a").status == 200)
        return service
    }

    private func put(_ service: ServiceInProcess, _ document: String, _ query: String = "") throws -> Reply {
        try service.ask("PUT /v1/features/slots" + query, [:], document)
    }

    private func take(
        _ service: ServiceInProcess, _ id: String, _ room: String, in space: String = main
    ) throws -> Reply {
        try service.ask("POST \(space)/slots/take", [:], #"{"id": "\#(id)", "room": "\#(room)"}"#)
    }

    private func edit(_ service: ServiceInProcess, _ edits: String, _ query: String = "") throws -> Reply {
        try service.ask(
            "POST \(Self.main)/administration/edit" + query, [:], #"{"reason": "a test", "edits": [\#(edits)]}"#)
    }

    private func expectNotUnique(
        _ reply: Reply, _ key: String, pointer: JSON? = nil, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let problem = try reply.json
        #expect(
            reply.status == 409 && problem["type"] == "/problems/not-unique", "\(reply.body)", sourceLocation: location)
        #expect(problem["index"] == "byRoom" && problem["key"] == .string(key), sourceLocation: location)
        #expect(problem["pointer"] == pointer, sourceLocation: location)
    }

    private func all(_ service: ServiceInProcess) throws -> String {
        try service.ask("GET \(Self.main)/slots/all").body
    }

    // Law DOC21
    @Test func `an edit, its rehearsal and several actions cannot break a unique index, and rows can swap`() throws {
        let service = try service()
        #expect(try take(service, "two", "b").status == 200)
        let second = #"{"table": "slots.slots", "key": "two", "with": {"room": "a"}}"#
        try expectNotUnique(edit(service, second), "two")
        try expectNotUnique(edit(service, second, "?rehearse=1"), "two")
        let actions = #"""
            {"actions": [{"name": "slots/take", "input": {"id": "three", "room": "c"}},
              {"name": "slots/take", "input": {"id": "four", "room": "a"}}]}
            """#
        try expectNotUnique(service.ask("POST \(Self.main)/actions", [:], actions), "four", pointer: "/actions/1")
        #expect(try all(service) == #"["onea","twob"]"#)
        let first = #"{"table": "slots.slots", "key": "one", "with": {"room": "b"}}"#
        #expect(try edit(service, "\(first), \(second)").status == 200)
        #expect(try all(service) == #"["oneb","twoa"]"#)
        // An index whose expression has no value for a row.
        let faulty = try edit(service, #"{"table": "slots.slots", "key": "two", "with": {"size": 0}}"#)
        #expect(faulty.status == 422 && faulty.body.contains("/indexes/bySize"), "\(faulty.body)")
    }

    // Law DOC21
    @Test func `an undone commit cannot bring back a row whose group another row has taken`() throws {
        let service = try service()
        #expect(try service.ask("POST \(Self.main)/slots/free", [:], #"{"id": "one"}"#).status == 200)
        #expect(try take(service, "two", "a").status == 200)
        let undo = try service.ask(
            "POST \(Self.main)/administration/edit", [:], #"{"reason": "a test", "undo": 2}"#)
        try expectNotUnique(undo, "one")
        #expect(try all(service) == #"["twoa"]"#)
    }

    // Law DOC21
    @Test func `a space cannot return to a state that a later unique index refuses`() throws {
        let service = try service(isUnique: false)
        #expect(try take(service, "two", "a").status == 200)
        #expect(try service.ask("POST \(Self.main)/slots/free", [:], #"{"id": "two"}"#).status == 200)
        #expect(try put(service, Self.document(isUnique: true)).status == 200)
        let reply = try service.ask("POST \(Self.main)/restore", [:], #"{"version": 2}"#)
        let problem = try reply.json
        #expect(reply.status == 409 && problem["type"] == "/problems/not-unique", "\(reply.body)")
        #expect(try all(service) == #"["onea"]"#)
    }

    // Law DOC21
    @Test func `a document with a unique index that stored rows break is refused, and a rehearsal names them`() throws {
        let service = try service(isUnique: false)
        for index in 0..<30 { #expect(try take(service, "row\(index)", "a").status == 200) }
        #expect(try take(service, "alone", "b", in: "/v1/spaces/other").status == 200)
        let unique = Self.document(isUnique: true)
        let refused = try put(service, unique)
        let problem = try refused.json
        #expect(refused.status == 422 && problem["pointer"] == "/state/slots/indexes/byRoom", "\(refused.body)")
        guard case .array(let repeated)? = problem["repeated"] else { return #expect(Bool(false), "\(refused.body)") }
        #expect(repeated.count == 20 && repeated[0]["space"] == "main" && repeated[0]["index"] == "byRoom")
        #expect(refused.body.contains("30 stored rows"))
        let report = try put(service, unique, "?rehearse=1").json
        #expect(report["spaces"] == 2)
        #expect(report["rows"]?["slots"] == ["kept": 2, "changed": 0, "failing": 30])
        guard case .array(let failing)? = report["failing"] else { return #expect(Bool(false)) }
        #expect(failing.count == 20)
        #expect(try take(service, "more", "a").status == 200)
        for key in ["more"] + (0..<30).map({ "row\($0)" }) {
            #expect(try service.ask("POST \(Self.main)/slots/free", [:], #"{"id": "\#(key)"}"#).status == 200)
        }
        #expect(try put(service, unique).status == 200)
        try expectNotUnique(take(service, "two", "a"), "two")
    }

    // Law DOC21
    @Test func `a document whose migration makes two rows of one group is refused`() throws {
        let service = try service()
        #expect(try take(service, "two", "b").status == 200)
        let same = Self.document(isUnique: true, #", "migrate": "{'room': 'x', 'size': old.size}""#)
        #expect(try put(service, same).status == 422)
        let others = Self.document(isUnique: true, #", "migrate": "{'room': old.room + 'x', 'size': old.size}""#)
        #expect(try put(service, others).status == 200)
        #expect(try all(service) == #"["oneax","twobx"]"#)
    }
}
