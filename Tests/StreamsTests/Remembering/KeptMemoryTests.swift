import JSON
import Reactive
import StateStore
import Streams
import Testing

/// The bytes of memory on disk, as every release has written them.
struct KeptMemoryTests {
    /// An operator, the entries of its memory, and what it shows after 1.5 s and after another value, 3, at 2 s.
    struct Kept: Sendable, CustomTestStringConvertible {
        let operators: String
        let entries: [String: String]
        let later: String
        let last: String

        init(_ operators: String, _ entries: [String: String], _ later: String, _ last: String) {
            (self.operators, self.entries, self.later, self.last) = (operators, entries, later, last)
        }

        var testDescription: String { operators }
    }

    private static let streams = [
        Kept(#"{"scan":{"initialValue":0,"expression":"accumulated + value"}}"#, ["operators/0": "[5]"], "5", "8"),
        Kept(
            #"{"reduce":{"initialValue":0,"expression":"accumulated + value"}},{"replaceEmpty":{"with":0}}"#,
            ["operators/0": "[5]", "operators/1": "[true]"], "null", "null"),
        Kept(#"{"removeDuplicates":{}},{"prefix":{"count":2}}"#, ["operators/0": "[[3]]"], "null", "null"),
        Kept(#"{"removeDuplicates":{"by":"value > previous"}}"#, ["operators/0": "[[4]]"], "null", "3"),
        Kept(#"{"dropFirst":{"count":3}}"#, ["operators/0": "[1]"], "null", "null"),
        Kept(#"{"dropFirst":{"count":3}}"#, ["operators/0": "[0]"], "null", "3"),
        Kept(#"{"drop":{"while":"value == 3"}}"#, ["operators/0": "[false]"], "null", "3"),
        Kept(#"{"prefix":{"count":3}},{"last":{}}"#, ["operators/0": "[1]", "operators/1": "[[8]]"], "null", "3"),
        Kept(#"{"prefix":{"while":"value == 3"}}"#, [:], "null", "3"),
        Kept(#"{"element":{"at":2}}"#, ["operators/0": "[0]"], "null", "3"),
        Kept(#"{"prefix":{"count":3}},{"max":{}}"#, ["operators/0": "[1]", "operators/1": "[[8]]"], "null", "8"),
        Kept(
            #"{"collect":{"count":3}}"#, ["operators/0/4": "[1]", "operators/0/5": "[[2]]"], "null", "[1,[2],3]"),
        Kept(
            #"{"collect":{"seconds":1}}"#, ["operators/0": "[0,1000000]", "operators/0/0": "[7]"], "[7]", "[7]"),
        Kept(
            #"{"delay":{"seconds":1}}"#, ["operators/0/2": "[[1000000,7]]", "operators/0/3": "[[1600000,8]]"], "7", "8"),
        Kept(#"{"debounce":{"seconds":1}}"#, ["operators/0": "[1000000,7]"], "7", "7"),
        Kept(#"{"throttle":{"seconds":1,"latest":true}}"#, ["operators/0": "[1000000,[7],false]"], "7", "3"),
        Kept(#"{"throttle":{"seconds":9,"latest":false}}"#, ["operators/0": "[9000000,[],false]"], "null", "null"),
        Kept(#"{"timeout":{"seconds":9}}"#, ["operators/0": "9000000"], "null", "3"),
        Kept(#"{"timeout":{"seconds":9}}"#, ["operators/0": "1000000"], "", ""),
        Kept(#"{"measureInterval":{}}"#, ["operators/0": "500000"], "null", "1.5"),
        Kept(#"{"withLatestFrom":{"source":{"view":"market.other"}}}"#, ["operators/0": "[9]"], "null", "[3,9]"),
        Kept(#"{"sample":{"source":{"view":"market.other"}}}"#, ["operators/0": "[9]"], "null", "null"),
        Kept(#"{"skip":{"until":{"view":"market.other"}}}"#, ["operators/0": "true"], "null", "3"),
        Kept(
            #"{"zip":[{"view":"market.amount"},{"view":"market.other"}]}"#, ["source/waiting/1/6": "[2]"], "null",
            "[3,2]"),
        Kept(
            #"{"append":[{"view":"market.other"},{"view":"market.amount"}]}"#, ["source": "1"], "null", "3"),
    ]

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private func play(_ market: Market, _ facts: [Fact]) throws {
        _ = try market.journal.append([
            CommitRecord(
                space: market.space, version: 1, at: Timestamp(microseconds: 0), action: "market/set", input: nil,
                facts: Facts(facts), alarm: Timestamp(microseconds: 1_000_000))
        ])
        try market.restart()
    }

    private func check(_ market: Market, _ view: String, _ kept: Kept) {
        for milliseconds in [500, 1_000, 1_500] {
            market.clock.advance(to: .zero + .milliseconds(milliseconds))
            market.here.run()
        }
        #expect(market.get(view) == kept.later)
        market.clock.advance(to: .zero + .seconds(2))
        market.here.run()
        #expect(market.post("market/set", #"{"amount":3}"#))
        #expect(market.get(view) == kept.last)
    }

    @Test(arguments: streams)
    func `the memory of a stream is read as it was written: Law KEPT1`(kept: Kept) throws {
        let isJoined = kept.operators.contains("[{") || kept.operators.contains(#""append""#)
        let document =
            isJoined
            ? #"{"id":"x","source":\#(kept.operators)}"#
            : #"{"id":"x","source":{"view":"market.amount"},"operators":[\#(kept.operators)]}"#
        let market = try Market([
            Feature("market", MarketState.init, MarketOnlyService.init, { AmountsViewModel($0) }), Market.features[2],
        ])
        var facts = [
            Fact(variable: "market.amount", value: Self.bytes("9")),
            Fact(variable: "streams.definitions", value: Self.bytes(#"{"x":\#(document)}"#)),
            Fact(variable: "~streams.x", entry: "begin", value: Self.bytes(#"{"version":1}"#)),
        ]
        for (entry, value) in kept.entries.sorted(by: { $0.key < $1.key }) {
            facts.append(Fact(variable: "~streams.x", entry: entry, value: Self.bytes(value)))
        }
        try play(market, facts)
        check(market, "streams.x", kept)
    }

    private struct AmountsViewModel: ViewModel {
        let amount: Observable<Int>
        let other: Observable<Int>

        init(_ state: MarketState) {
            amount = state.amount
            other = state.other
        }
    }

    private struct Named: ViewModel {
        let shown: Observable<String>
    }

    private struct NamedKept: Sendable, CustomTestStringConvertible {
        let name: String
        let kept: Kept
        let make: @Sendable (MarketState) -> Observable<String>

        init(
            _ name: String, _ entries: [String: String], _ later: String, _ last: String,
            _ make: @escaping @Sendable (MarketState) -> Observable<some Any>
        ) {
            self.name = name
            kept = Kept(name, entries, later, last)
            self.make = { make($0).map { "\($0)" } }
        }

        var testDescription: String { name }
    }

    private static let named = [
        NamedKept("scan", ["state": "5"], "5", "8") { $0.amount.scan("x", 0) { $0 + $1 } },
        NamedKept("count", ["state": "5"], "5", "6") { $0.amount.count("x") },
        NamedKept("min", ["state": "[4]", "value": "4"], "4", "3") { $0.amount.min("x") },
        NamedKept("removeDuplicates", ["state": "[4]", "value": "4"], "4", "4") {
            $0.amount.removeDuplicates("x") { _, value in value == 3 }
        },
        NamedKept("dropFirst", ["state": "1"], "", "") { $0.amount.dropFirst("x", 3) },
        NamedKept("prefix", ["state": "0", "value": "8"], "8", "8") { $0.amount.prefix("x", 3) },
        NamedKept("prefix while", ["state": "false", "value": "8"], "8", "8") { $0.amount.prefix("x") { $0 > 0 } },
        NamedKept("first where", ["state": "true"], "", "3") { $0.amount.first("x") { $0 == 3 } },
        NamedKept("filter", ["value": "8"], "8", "3") { $0.amount.filter("x") { $0 > 0 } },
        NamedKept("collect all", ["values/0": "1", "values/1": "2"], "[1, 2]", "[1, 2, 3]") { $0.amount.collect("x") },
        NamedKept("collect", ["values/0": "1"], "", "[1, 3]") { $0.amount.collect("x", 2) },
        NamedKept("debounce", ["waiting": #"{"due":1000000,"value":7}"#], "7", "7") {
            $0.amount.debounce("x", .seconds(1))
        },
        NamedKept("throttle", ["opening": "1000000", "waiting": #"{"due":1000000,"value":7}"#, "value": "6"], "7", "3")
        {
            $0.amount.throttle("x", .seconds(1), latest: true)
        },
        NamedKept(
            "delay", ["waiting/3": #"{"due":1000000,"value":7}"#, "waiting/4": #"{"due":1600000,"value":8}"#], "7", "8"
        ) {
            $0.amount.delay("x", .seconds(1))
        },
        NamedKept("withLatestFrom", ["state": "[9]"], "", "[3, 9]") { state in
            state.amount.withLatestFrom("x", state.other) { [$0, $1] }
        },
        NamedKept("sample", ["state": "[9]"], "", "") { $0.amount.sample("x", $0.other) },
        NamedKept("zip", ["others/2": "9"], "", "[3, 9]") { state in state.amount.zip("x", state.other) { [$0, $1] } },
    ]

    @Test(arguments: named)
    private func `the memory of a named operator is read as it was written: Law KEPT1`(one: NamedKept) throws {
        let market = try Market([
            Feature("market", MarketState.init, MarketOnlyService.init, { Named(shown: one.make($0)) })
        ])
        var facts = [
            Fact(variable: "market.amount", value: Self.bytes("9")),
            Fact(variable: "~market.x", entry: "begin", value: Self.bytes(#"{"version":1}"#)),
        ]
        for (entry, value) in one.kept.entries.sorted(by: { $0.key < $1.key }) {
            facts.append(Fact(variable: "~market.x", entry: entry, value: Self.bytes(value)))
        }
        try play(market, facts)
        func quoted(_ text: String) -> String { text.isEmpty ? "null" : "\"\(text)\"" }
        check(
            market, "market.shown",
            Kept(one.name, [:], quoted(one.kept.later), quoted(one.kept.last)))
    }
}

/// The actions of a market without a rate.
struct MarketOnlyService: StateService {
    let set: Action<Amounts>

    init(_ state: MarketState) {
        set = Action { input, commit in
            if let amount = input.amount { commit[state.amount] = amount }
            if let other = input.other { commit[state.other] = other }
        }
    }
}
