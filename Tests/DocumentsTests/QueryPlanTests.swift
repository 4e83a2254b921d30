@testable import Hosting
import JSON
import ServerReads
import StateStore
import Testing

@testable import Documents

/// A view that is watched, and its latest value.
final class WatchedView {
    private(set) var latest: JSON?
    private(set) var count = 0
    private var watch: Watch?

    init(_ name: String, of server: DocumentServer) throws {
        let space = try #require(SpaceName("test"))
        watch = server.server.stores[0].watch([name], in: space) { [weak self] news in
            guard case .success(let frames) = news else { return }
            for (_, frame) in frames {
                guard case .success(let value) = frame.value else { continue }
                self?.latest = try? JSON(parsing: value.bytes)
                self?.count += 1
            }
        }
    }
}

/// Law DOC22: a view that reads an index has the rows that a walk finds, in the same order.
struct QueryPlanTests {
    static let rows =
        #""tasks": {"table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": ["integer", "null"], "default": null}, "c": {"type": "integer", "default": 0}, "d": {"type": "boolean", "default": false}}, "required": ["a"]}}"#
    private static let indexes =
        #", "indexes": {"byA": {"by": ["row.a"], "sort": ["-row.c"]}, "byAB": {"by": ["row.a", "row.b"]}, "open": {"by": ["row.b"], "where": "!row.d", "sort": ["row.c", "row.a"]}, "all": {"sort": ["row.c"]}}"#
    /// The views, with the index that each reads; nil for a walk, a dash for one that its instances share.
    private static let views: [(name: String, view: String, index: String?)] = [
        ("plain", #""where": "row.a == input.a", "sort": "-row.c""#, "byA"),
        ("swapped", #""where": "input.a == row.a", "sort": "-row.c", "limit": 3"#, "byA"),
        ("both", #""where": "row.a == input.a && row.b == input.b""#, "byAB"),
        ("null", #""where": "row.b == null && row.a == input.a""#, "byAB"),
        ("members", #""where": "row.a in [input.a, 'y', input.a]", "sort": ["row.c"]"#, "byA"),
        ("rest", #""where": "row.a == input.a && row.c > 3", "sort": "row.c", "limit": 2"#, "byA"),
        ("open", #""where": "!row.d && row.b == input.b", "sort": ["row.c", "row.a"], "limit": 2"#, "open"),
        ("count", #""where": "row.a == input.a", "count": true"#, "byA"),
        ("groups", #""where": "row.a == input.a", "sum": "row.c", "by": "row.d""#, "byA"),
        ("first", #""where": "true", "sort": "row.c", "limit": 4"#, nil),
        ("top", #""sort": "row.c", "limit": 4"#, "all"),
        ("shared", #""where": "row.c == input.b", "sort": ["row.a"]"#, "-"),
        ("sharedWithout", #""where": "row.d == (input.a == 'x') && row.c >= 2""#, "-"),
        ("walk", #""where": "row.c > input.b""#, nil),
        ("either", #""where": "row.a == input.a || row.d""#, nil),
        ("double", #""where": "row.c == input.b + 0.5""#, "-"),
        ("twice", #""where": "row.a == input.a && row.a == 'x'""#, "byA"),
        ("variable", #""where": "row.a == state.one""#, "byA"),
    ]

    private static func document(_ indexes: String) -> String {
        let all = views.map {
            #""\#($0.name)": {"parameters": {"a": {"type": "string", "default": "x"}, "b": {"type": "integer", "default": 1}}, "from": "tasks", \#($0.view)}"#
        }
        return #"""
            {"feature": "x", "home": "space", "state": {\#(rows)\#(indexes)}, "one": {"value": {"type": "string"}, "initial": "x"}},
             "actions": {
               "put": {"input": {"type": "object", "properties": {"id": {"type": "string"}, "row": {}}, "required": ["id", "row"]},
                 "do": [{"put": "tasks", "key": "input.id", "row": "input.row"}]},
               "remove": {"input": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
                 "do": [{"remove": "tasks", "key": "input.id"}]},
               "one": {"input": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, "do": [{"set": "one", "to": "input.a"}]}},
             "views": {\#(all.joined(separator: ", "))}}
            """#
    }

    private func queries(_ document: String) throws -> [String: TableQuery] {
        let feature = try compile(["x": parse(document)])["x"] as? CompiledFeature
        var queries: [String: TableQuery] = [:]
        for view in feature?.compiledViews ?? [] {
            if case .query(let query) = view.form { queries[view.part.name] = query }
        }
        return queries
    }

    @Test func `a view reads the index that its condition names`() throws {
        let queries = try queries(Self.document(Self.indexes))
        for (name, _, index) in Self.views {
            let plan = try #require(queries[name]).plan
            #expect((plan.map { $0.isDeclared ? $0.index.name : "-" }) == index, "\(name)")
        }
        #expect(queries["swapped"]?.plan?.givesOrder == true)
        #expect(queries["open"]?.plan?.givesOrder == true)
        #expect(queries["top"]?.plan?.givesOrder == true)
        #expect(queries["shared"]?.plan?.givesOrder == true)
        #expect(queries["rest"]?.plan?.givesOrder == false)
        #expect(queries["members"]?.plan?.givesOrder == false)
        #expect(queries["twice"]?.plan?.coversCondition == false)
        // Views that need the same index share it.
        let bare = try self.queries(Self.document(""))
        #expect(bare["plain"]?.plan?.index === bare["swapped"]?.plan?.index)
        #expect(bare["plain"]?.plan?.isDeclared == false)
    }

    @Test(arguments: 0..<12 as Range<UInt64>)
    func `a view over an index equals the walk, watched through random commits`(_ seed: UInt64) throws {
        var random = Generator(state: seed + 1)
        let server = try DocumentServer(parse(Self.document(Self.indexes)))
        // The same without indexes and parameters reads by walking: the expressions are evaluated for each row.
        var rows: [(key: String, row: JSON)] = []
        var one = "x"
        let watched = try Self.views.flatMap { view in
            try ["x", "y"].map { a in
                (view.name, a, try WatchedView("x.\(view.name)?\(a == "x" ? "" : "a=\(a)&")b=2", of: server))
            }
        }
        for step in 0..<80 {
            let key = "k\(Int.random(in: 0..<14, using: &random))"
            if Int.random(in: 0..<12, using: &random) == 0 {
                one = Bool.random(using: &random) ? "x" : "y"
                try server.act("x/one", ["a": .string(one)])
            } else if Int.random(in: 0..<4, using: &random) == 0 {
                try server.act("x/remove", ["id": .string(key)])
                rows.removeAll { $0.key == key }
            } else {
                let b: JSON =
                    Bool.random(using: &random) ? .null : .number(Decimal(Int.random(in: 0...3, using: &random)))
                let row: JSON = [
                    "a": ["x", "y", "z"][Int.random(in: 0..<3, using: &random)], "b": b,
                    "c": .number(Decimal(Int.random(in: 0...6, using: &random))),
                    "d": .bool(Bool.random(using: &random)),
                ]
                try server.act("x/put", ["id": .string(key), "row": row])
                if let place = rows.firstIndex(where: { $0.key == key }) {
                    rows[place].row = row
                } else {
                    rows.append((key, row))
                }
            }
            for (view, a, value) in watched {
                let expected = Self.expected(view, rows, a: a, b: 2, one: one)
                try #require(value.latest == expected, "seed \(seed), step \(step), \(view)?a=\(a)")
            }
        }
    }

    /// The value of a view by a walk over all rows.
    private static func expected(
        _ view: String, _ rows: [(key: String, row: JSON)], a: String, b: Int, one: String
    ) -> JSON {
        func text(_ row: JSON) -> String { if case .string(let text)? = row["a"] { text } else { "" } }
        func number(_ row: JSON, _ name: String) -> Int? {
            if case .number(let number)? = row[name] { number.int64.map { Int($0) } } else { nil }
        }
        func c(_ row: JSON) -> Int { number(row, "c") ?? 0 }
        func d(_ row: JSON) -> Bool { row["d"] == true }
        func list(
            _ isIncluded: (JSON) -> Bool, sort: ((JSON, JSON) -> Int)? = nil, limit: Int = .max
        ) -> JSON {
            var found = rows.filter { isIncluded($0.row) }
            if let sort {
                found.sort { one, other in
                    let order = sort(one.row, other.row)
                    return order == 0 ? one.key < other.key : order < 0
                }
            }
            return .array(found.prefix(limit).map { ["key": .string($0.key), "row": $0.row] })
        }
        switch view {
        case "plain": return list({ text($0) == a }, sort: { c($1) - c($0) })
        case "swapped": return list({ text($0) == a }, sort: { c($1) - c($0) }, limit: 3)
        case "both": return list { text($0) == a && number($0, "b") == b }
        case "null": return list { text($0) == a && number($0, "b") == nil }
        case "members": return list({ text($0) == a || text($0) == "y" }, sort: { c($0) - c($1) })
        case "rest": return list({ text($0) == a && c($0) > 3 }, sort: { c($0) - c($1) }, limit: 2)
        case "open":
            return list(
                { !d($0) && number($0, "b") == b },
                sort: { c($0) == c($1) ? (text($0) == text($1) ? 0 : text($0) < text($1) ? -1 : 1) : c($0) - c($1) },
                limit: 2)
        case "count": return .number(Decimal(rows.filter { text($0.row) == a }.count))
        case "groups":
            var object = JSON.Object()
            for truth in [false, true] {
                let own = rows.filter { text($0.row) == a && d($0.row) == truth }
                if !own.isEmpty { object["\(truth)"] = .number(Decimal(own.reduce(0) { $0 + c($1.row) })) }
            }
            return .object(object)
        case "first", "top": return list({ _ in true }, sort: { c($0) - c($1) }, limit: 4)
        case "shared":
            return list(
                { c($0) == b }, sort: { text($0) == text($1) ? 0 : text($0) < text($1) ? -1 : 1 })
        case "sharedWithout": return list { d($0) == (a == "x") && c($0) >= 2 }
        case "walk": return list { c($0) > b }
        case "either": return list { text($0) == a || d($0) }
        case "double": return []
        case "twice": return list { text($0) == a && a == "x" }
        default: return list { text($0) == one }
        }
    }
}
