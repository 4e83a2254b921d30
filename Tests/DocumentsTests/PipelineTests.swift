@testable import Hosting
import JSON
import StateStore
import Testing

@testable import Documents

/// Law DOC8: a view that is a pipeline keeps what it remembers in the commit that changed it, watched or not.
struct PipelineTests {
    static let document = #"""
        {"feature": "board", "home": "space",
         "state": {
           "cards": {"table": {"key": {"type": "string"}, "row": {"type": "integer"}}},
           "here": {"table": {"key": {"type": "string"}, "row": {"type": "integer"}}, "kept": false}},
         "actions": {
           "add": {"input": {"type": "object", "properties": {"id": {"type": "string"}, "n": {"type": "integer"}},
             "required": ["id"]}, "do": [{"put": "cards", "key": "input.id", "row": "has(input.n) ? input.n : 0"}]},
           "remove": {"input": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
             "do": [{"remove": "cards", "key": "input.id"}]}},
         "views": {
           "count": {"expression": "size(state.cards)"},
           "card": {"parameters": {"id": {"type": "string"}},
             "expression": "input.id in state.cards ? state.cards[input.id] : null"},
           "calm": {"source": {"view": "board.count"}, "operators": [{"debounce": {"seconds": 5}}]},
           "most": {"source": {"view": "board.count"}, "operators": [{"scan": {"initialValue": 0,
             "expression": "accumulated > value ? accumulated : value"}}, {"removeDuplicates": {}}]},
           "double": {"expression": "views.most == null ? 0 : views.most * 2"},
           "doubles": {"source": {"view": "board.double"}, "operators": [{"collect": {"count": 2}}]},
           "mosts": {"source": {"view": "board.most"}, "operators": [{"scan": {"initialValue": 0,
             "expression": "accumulated + 1"}}]},
           "a": {"source": {"view": "board.card", "parameters": {"id": "a"}},
             "operators": [{"compactMap": {"expression": "value"}}, {"scan": {"initialValue": 0,
               "expression": "accumulated + 1"}}]},
           "sum": {"source": {"fold": {"over": {"changes": ["board/add"]}, "initialValue": 0,
             "expression": "accumulated + change.input.n"}}},
           "ten": {"source": {"view": "board.count"}, "operators": [{"map": {"expression": "value * 10"}}]},
           "guest": {"expression": "size(state.here)"},
           "mine": {"expression": "token.sub"}},
         "tests": [{"name": "calm", "steps": [
           {"act": "add", "input": {"id": "a", "n": 3}}, {"expect": {"calm": null, "most": 1, "sum": 3}}, {"after": 6},
           {"expect": {"board.count": 1, "board.calm": 1}},
           {"act": "remove", "input": {"id": "a"}}, {"after": 4}, {"expect": {"calm": 1}},
           {"after": 1}, {"expect": {"calm": 0, "most": 1}}]}]}
        """#

    private let journal = MemoryJournal()

    private func server(_ document: String = Self.document, after seconds: Int = 0) throws -> DocumentServer {
        let executor = SimulatedExecutor(from: TrialServer.start)
        executor.advance(.seconds(seconds))
        return try DocumentServer([parse(document)], journal, executor)
    }

    private func commits() throws -> [CommitRecord] {
        switch try journal.read(try #require(SpaceName("test")), after: 0, limit: 100) {
        case .commits(let records): records
        default: []
        }
    }

    /// The variables of memory that a commit has written.
    private func memory(_ record: CommitRecord?) -> Set<String> {
        Set((record?.facts.map(\.variable) ?? []).filter { $0.hasPrefix("~") })
    }

    @Test func `a test of a document waits for a debounce`() throws {
        let features = try compile(["board": parse(Self.document)])
        let tests = FeatureCompiler().test(features, of: "board", beside: try Registry([])) { true }
        #expect(tests.failed.map(\.detail) == [])
        #expect(tests.passed == 1)
    }

    @Test func `memory is kept in the commit that changed it, unwatched too`() throws {
        let server = try server()
        for id in ["a", "b", "c"] { try server.act("board/add", ["id": .string(id), "n": 2]) }
        try server.act("board/remove", ["id": "b"])
        #expect(try server.view("board.most") == 3)
        #expect(try server.view("board.sum") == 6)
        #expect(try commits().allSatisfy { !memory($0).isEmpty })
        #expect(try memory(commits().last).contains("~board.calm"))
        // A view that follows from the present values keeps nothing.
        #expect(try !commits().contains { memory($0).contains("~board.ten") })
        #expect(try server.view("board.ten") == 20)
    }

    @Test func `memory and its alarms survive a restart`() throws {
        let first = try server()
        for id in ["a", "b"] { try first.act("board/add", ["id": .string(id), "n": 1]) }
        try first.act("board/remove", ["id": "b"])
        let second = try server(after: 3)
        #expect(try second.view("board.most") == 2)
        #expect(try second.view("board.calm") == .null)
        #expect(second.server.advance(.seconds(2)) { true })
        #expect(try second.view("board.calm") == 1)
        #expect(try commits().last?.action == "streams/elapsed")
        let third = try server(after: 100)
        #expect(try third.view("board.calm") == 1)
        try third.act("board/add", ["id": "b", "n": 1])
        #expect(try third.view("board.most") == 2)
        #expect(try third.view("board.sum") == 3)
    }

    @Test func `a pipeline reads other pipelines in the same commit`() throws {
        let server = try server()
        try server.act("board/add", ["id": "a", "n": 1])
        #expect(try server.view("board.double") == 2)
        try server.act("board/add", ["id": "b", "n": 1])
        #expect(try server.view("board.doubles") == [2, 4])
        #expect(try server.view("board.mosts") == 2)
        #expect(try memory(commits().last).contains("~board.doubles"))
        try server.act("board/add", ["id": "a", "n": 7])
        #expect(try server.view("board.a") == 2)
    }

    @Test func `a changed pipeline begins anew, an equal one goes on`() throws {
        let first = try server()
        for id in ["a", "b", "c"] { try first.act("board/add", ["id": .string(id), "n": 1]) }
        try first.act("board/remove", ["id": "c"])
        let changed = Self.document.replacing(
            #"{"removeDuplicates": {}}"#, with: #"{"map": {"expression": "value + 100"}}"#)
        let second = try server(changed)
        #expect(try second.view("board.most") == .null)
        #expect(try second.view("board.sum") == 3)
        try second.act("board/add", ["id": "a", "n": 2])
        // The source has two cards now.
        #expect(try second.view("board.most") == 102)
        #expect(try second.view("board.sum") == 5)
        let third = try server(changed)
        #expect(try third.view("board.most") == 102)
    }

    @Test func `the memory of a removed view is removed with the next commit`() throws {
        try server().act("board/add", ["id": "a", "n": 1])
        let without = Self.document.replacing(#""sum": {"source""#, with: #""total": {"source""#)
            .replacing(#""sum": 3"#, with: #""total": 3"#)
        let second = try server(without)
        try second.act("board/add", ["id": "b", "n": 4])
        #expect(try second.view("board.total") == 4)
        let last = try #require(try commits().last)
        #expect(last.facts.contains { $0.variable == "~board.sum" && $0.value == nil })
        let third = try server()
        try third.act("board/add", ["id": "c", "n": 5])
        #expect(try third.view("board.sum") == 5)
    }

    @Test func `a pipeline over a given feature's views and commits`() throws {
        let other = #"""
            {"feature": "score", "home": "space", "given": ["board"],
             "views": {
               "most": {"source": {"view": "board.most"}, "operators": [{"scan": {"initialValue": 0,
                 "expression": "accumulated + value"}}]},
               "removed": {"source": {"fold": {"over": {"changes": ["board/remove"]}, "initialValue": 0,
                 "expression": "accumulated + 1"}}}}}
            """#
        let executor = SimulatedExecutor(from: TrialServer.start)
        let server = try DocumentServer([parse(other), parse(Self.document)], journal, executor)
        try server.act("board/add", ["id": "a", "n": 1])
        try server.act("board/add", ["id": "b", "n": 1])
        #expect(try server.view("score.most") == 3)
        try server.act("board/remove", ["id": "b"])
        #expect(try server.view("score.removed") == 1)
        #expect(try commits().count == 3)
    }

    // Law KEPT8, Law KEPT6
    @Test func `a pipeline takes each event of one of its document, and the values of a given one`() throws {
        let counting = #""operators": [{"scan": {"initialValue": 0, "expression": "accumulated + 1"}}]"#
        let own = Self.document.replacing(
            #""views": {"#,
            with: #""views": {"twice": {"source": {"merge": [{"view": "board.count"}, {"view": "board.count"}]}},"#
                + #""own": {"source": {"view": "board.twice"}, \#(counting)},"#
                + #""later": {"source": {"append": [{"source": {"view": "board.count"}, "operators": [{"first": {}}]},"#
                + #"{"fold": {"over": {"changes": ["board/add"]}, "initialValue": 0,"#
                + #""expression": "accumulated + 1"}}]}},"#)
        let other = #"""
            {"feature": "score", "home": "space", "given": ["board"],
             "views": {"given": {"source": {"view": "board.twice"}, \#(counting)}}}
            """#
        for isStopped in [false, true] {
            let journal = MemoryJournal()
            let executor = SimulatedExecutor(from: TrialServer.start)
            var server = try DocumentServer([parse(other), parse(own)], journal, executor)
            for id in ["a", "b", "c"] {
                try server.act("board/add", ["id": .string(id)])
                if isStopped { server = try DocumentServer([parse(other), parse(own)], journal, executor) }
            }
            #expect(try server.view("board.own") == 6)
            #expect(try server.view("score.given") == 3)
            #expect(try server.view("board.later") == 2)
        }
    }

    @Test func `a feature of another generation remembers under another name`() throws {
        let features = try compile(["board": parse(Self.document)])
        func server(_ generation: Int) throws -> TrialServer {
            let deployed = features.values.map { DeployedFeature($0, generation: generation) }
            return try TrialServer(try Registry([]).describing(deployed), journal: journal)
        }
        let add: JSON = ["id": "a", "n": 1]
        _ = try server(1).perform("board", "add", add, in: nil, by: Caller(""))
        let second = try server(2)
        #expect(try second.view("board.sum", in: nil) == .null)
        _ = try second.perform("board", "add", add, in: nil, by: Caller(""))
        #expect(try second.view("board.sum", in: nil) == 1)
        #expect(try memory(commits().last).contains("~board.sum~2"))
        #expect(try commits().last?.facts.contains { $0.variable == "~board.sum" && $0.value == nil } == true)
    }

    @Test func `a reader needs the rules of the sources too`() throws {
        let text = #"""
            {"feature": "vault", "home": "space", "state": {"x": {"value": {"type": "integer"}, "initial": 0}},
             "views": {
               "open": {"expression": "state.x"},
               "secret": {"expression": "state.x", "allow": "token.sub == 'ada'"},
               "byRole": {"parameters": {"role": {"type": "string"}}, "expression": "state.x",
                 "allow": "token.role == input.role"},
               "later": {"source": {"view": "vault.secret"}, "operators": [{"delay": {"seconds": 1}}]},
               "ops": {"source": {"merge": [{"view": "vault.byRole", "parameters": {"role": "ops"}},
                 {"view": "vault.open"}]}},
               "free": {"source": {"view": "vault.open"}, "operators": [{"count": {}}]}}}
            """#
        let other = #"""
            {"feature": "reader", "home": "space", "given": ["vault"],
             "views": {"seen": {"source": {"view": "vault.later"}, "operators": [{"count": {}}]}}}
            """#
        let features = try compile(["vault": parse(text), "reader": parse(other)])
        let views = Dictionary(
            features.values.flatMap(\.views).map { ($0.label, $0) }, uniquingKeysWith: { first, _ in first })
        #expect(views["later"]?.rule == ClaimSet(names: ["sub"]))
        #expect(views["ops"]?.rule == ClaimSet(names: ["role"]))
        #expect(views["free"]?.rule == nil)
        #expect(views["seen"]?.rule == ClaimSet(names: ["sub"]))
    }

    @Test(arguments: [
        (#"{"view": "board.count"}"#, #"[{"debounce": {"seconds": 0.05}}]"#, "/operators/0/debounce/seconds"),
        (#"{"view": "board.count"}"#, #"[{"debounc": {"seconds": 5}}]"#, "/operators/0/debounc"),
        (#"{"view": "board.count"}"#, #"[{"map": {"expression": "valu"}}]"#, "/operators/0/map/expression"),
        (#"{"view": "board.count"}"#, #"[{"share": {}}]"#, "/operators"),
        (#"{"view": "board.counts"}"#, "[]", "/source/view"),
        (#"{"view": "board.calm"}"#, "[]", "/source/view"),
        (#"{"view": "cart.total"}"#, "[]", "/source/view"),
        (#"{"view": "board.guest"}"#, #"[{"count": {}}]"#, "/source"),
        (#"{"view": "board.mine"}"#, #"[{"count": {}}]"#, ""),
        (#"{"view": "board.card"}"#, "[]", "/source/parameters"),
        (#"{"view": "board.card", "parameters": {"i": "a"}}"#, "[]", "/source/parameters/i"),
        (#"{"ref": "a"}"#, "[]", "/source/ref"), (#"{"stream": [{"value": 1}]}"#, "[]", "/source"),
        (
            #"{"fold": {"over": {"changes": ["board/ad"]}, "initialValue": 0, "expression": "1"}}"#, "[]",
            "/source/fold/over/changes/0"
        ),
    ])
    func `a pipeline that cannot be is refused at its place`(
        _ source: String, _ operators: String, _ place: String
    )
        throws
    {
        let text = Self.document.replacing(
            #""calm": {"source": {"view": "board.count"}, "operators": [{"debounce": {"seconds": 5}}]}"#,
            with: #""calm": {"source": \#(source), "operators": \#(operators)}"#)
        let found = faults(try parse(text))
        #expect(!found.isEmpty && found.contains { $0.hasPrefix("/views/calm\(place):") }, "\(found)")
    }

    @Test func `a pipeline without memory may read what is in memory only`() throws {
        let text = Self.document.replacing(
            #""ten": {"source": {"view": "board.count"}"#, with: #""ten": {"source": {"view": "board.guest"}"#)
        let feature = try #require(try compile(["board": parse(text)])["board"])
        #expect(feature.views.first { $0.label == "ten" }?.isKept == false)
    }
}
