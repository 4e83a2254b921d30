import Hosting
import JSON
import StateStore
import Testing

@testable import Documents

/// Law DOC7: a table begins with the initial rows of its document in each space whose journal knows no row of it.
struct InitialRowsTests {
    private static let rows = #"{"a": {"n": 1}, "b": {"n": 2}}"#

    private static func document(_ rows: String?, extra: String = "") -> String {
        #"""
        {"feature": "list", "home": "space",
         "state": {
           "rows": {"table": {"key": {"type": "string", "maxLength": 3}, "row": {"type": "object",
             "properties": {"n": {"type": "integer"}, "m": {"type": "integer", "default": 7}}, "required": ["n"]}}
             \#(rows.map { #", "initial": \#($0)"# } ?? "") \#(extra)},
           "other": {"value": {"type": "integer"}, "initial": 0}},
         "actions": {
           "put": {"input": {"type": "object", "properties": {"key": {"type": "string"}, "n": {"type": "integer"}},
             "required": ["key", "n"]}, "do": [{"put": "rows", "key": "input.key", "row": "{'n': input.n}"}]},
           "remove": {"input": {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]},
             "do": [{"remove": "rows", "key": "input.key"}]},
           "clear": {"do": [{"clear": "rows"}]},
           "touch": {"do": [{"set": "other", "to": "state.other + 1"}]}},
         "views": {
           "all": {"from": "rows", "sort": "key", "select": "key + string(row.n)"}, "sum": {"from": "rows", "sum": "row.n + row.m"},
           "count": {"expression": "size(state.rows)"}},
         "tests": [{"name": "it begins", "steps": [{"expect": {"count": \#(rows == nil ? 0 : 2)}}]}]}
        """#
    }

    private let journal = MemoryJournal()

    private func server(_ rows: String? = Self.rows) throws -> DeployedServer {
        let server = try DeployedServer(journal)
        if server.stores[0].documents["list"] == nil { try server.put(Self.document(rows)) }
        return server
    }

    @Test func `a space without commits has the initial rows, with their defaults`() throws {
        let server = try server()
        #expect(try server.view("list.all") == ["a1", "b2"])
        #expect(try server.view("list.sum") == 17)
        let features = try compile(["list": parse(Self.document(Self.rows))])
        let tests = FeatureCompiler().test(features, of: "list", beside: try Registry([])) { true }
        #expect(tests.failed.map(\.detail) == [] && tests.passed == 1)
    }

    @Test func `the first change of a table keeps its other initial rows, also after a restart`() throws {
        try server().act("list/put", ["key": "c", "n": 3])
        #expect(try server().view("list.all") == ["a1", "b2", "c3"])
        try server().act("list/remove", ["key": "a"])
        #expect(try server().view("list.all") == ["b2", "c3"])
    }

    @Test(arguments: [["list/remove", "list/remove"], ["list/clear"]])
    func `initial rows that are removed stay away`(_ actions: [String]) throws {
        let first = try server()
        for (action, key) in zip(actions, ["a", "b"]) {
            try first.act(action, action == "list/clear" ? [:] : ["key": .string(key)])
        }
        #expect(try first.view("list.all") == [])
        #expect(try server().view("list.all") == [])
        try first.put(Self.document(#"{"z": {"n": 0}, "y": {"n": 0}}"#))
        #expect(try first.view("list.all") == [])
        #expect(try server().view("list.all") == [])
    }

    @Test func `rows that were there before the initial rows stay alone`() throws {
        let first = try server(nil)
        try first.act("list/put", ["key": "x", "n": 9])
        try first.act("list/touch", in: SpaceName("empty"))
        try first.put(Self.document(Self.rows))
        for server in [first, try server()] {
            #expect(try server.view("list.all") == ["x9"])
            #expect(try server.view("list.all", in: SpaceName("empty")) == ["a1", "b2"])
        }
        try first.act("list/remove", ["key": "x"])
        #expect(try first.view("list.all") == [])
        #expect(try server().view("list.all") == [])
    }

    @Test func `a table that an action has cleared stays empty`() throws {
        let first = try server(nil)
        try first.act("list/put", ["key": "x", "n": 9])
        try first.act("list/clear")
        try first.put(Self.document(Self.rows))
        #expect(try first.view("list.all") == [])
        #expect(try server().view("list.all") == [])
    }

    @Test func `a migration changes stored rows and no initial ones`() throws {
        let first = try server()
        let second = SpaceName("second")
        try first.act("list/put", ["key": "c", "n": 3])
        try first.act("list/touch", in: second)
        let migrating = #", "migrate": "{'n': old.n * 10}""#
        try first.put(Self.document(Self.rows, extra: migrating), migrating: ["list": ["rows"]])
        for server in [first, try server()] {
            #expect(try server.view("list.all") == ["a10", "b20", "c30"])
            #expect(try server.view("list.all", in: second) == ["a1", "b2"])
        }
    }

    @Test(arguments: [
        (#"{"a": {"n": "1"}, "b": {}, "long": {"n": 1}}"#, 3), ("[]", 1), (#"{"a": {"n": 1, "o": 2}}"#, 1),
    ])
    func `a faulty initial row is refused`(_ rows: String, _ count: Int) throws {
        let found = faults(try parse(Self.document(rows)))
        #expect(found.count == count && found.allSatisfy { $0.hasPrefix("/state/rows/initial") }, "\(found)")
    }

    /// Puts, removals, documents and restarts at random, beside a model of what the journal knows.
    @Test func `tables equal a model through documents and restarts`() throws {
        var random = Randomness(seed: 51)
        func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
        let initials: [String?] = [nil, Self.rows, #"{"b": {"n": 5}, "d": {"n": 6}}"#]
        let models: [[String: Int]] = [[:], ["a": 1, "b": 2], ["b": 5, "d": 6]]
        for round in 0..<25 {
            let journal = MemoryJournal()
            var present = 0
            /// The rows that the journal knows; nil if it knows none.
            var known: [String: Int]?
            var isWhole = false
            var server = try DeployedServer(journal)
            try server.put(Self.document(nil))
            for step in 0..<30 {
                var rows = known ?? models[present]
                let before = rows
                let key = ["a", "b", "c", "d"][pick(4)]
                switch pick(8) {
                case 0...2:
                    let number = pick(9)
                    try server.act("list/put", ["key": .string(key), "n": .number(Decimal(number))])
                    rows[key] = number
                case 3...4:
                    try server.act("list/remove", ["key": .string(key)])
                    rows[key] = nil
                case 5 where pick(3) == 0:
                    try server.act("list/clear")
                    rows = [:]
                    if before != rows { isWhole = true }
                case 6:
                    present = pick(3)
                    try server.put(Self.document(initials[present]))
                default: server = try DeployedServer(journal)
                }
                if rows != before {
                    if initials[present] != nil { isWhole = true }
                    known = rows.isEmpty && !isWhole ? nil : rows
                }
                let model = (known ?? models[present]).map { "\($0.key)\($0.value)" }.sorted()
                #expect(
                    try server.view("list.all") == .array(model.map { .string($0) }), "step \(step) of round \(round)")
            }
        }
    }
}
