import JSON
import Synchronization
import Testing

@testable import Expressions

/// Formulas that read tables entry by entry, and texts with formulas.
struct LazyMapTests {
    /// The table of 100,000 cards, and the keys that were read.
    private final class Cards: Sendable {
        let read = Mutex<[String]>([])

        var map: LazyMap {
            LazyMap(count: { 100_000 }, key: { "c\($0)" }) { key in
                self.read.withLock { $0.append(key) }
                guard let number = Int(key.dropFirst()), key.hasPrefix("c") else { return nil }
                return .json(["votes": .number(Decimal(number)), "price": 3])
            }
        }
    }

    private static let types: [(name: String, type: ExpressionType)] = [
        (
            "state",
            .object(
                ObjectType([
                    .init(
                        "cards",
                        .map(
                            key: .string, value: .object(ObjectType([.init("votes", .int), .init("price", .decimal)])))),
                    .init("topic", .string), .init("rates", .map(key: .string, value: .double)),
                ]))
        ), ("input", .map(key: .string, value: .dyn)),
    ]

    private func outcome(_ source: String, _ cards: Cards) throws -> JSON {
        let rates = LazyMap([("a", .json(3)), ("b", .json(4))])
        let state = LazyMap([("cards", .map(cards.map)), ("topic", .json("t")), ("rates", .map(rates))])
        var steps = 0
        return try Expression(source, types: Self.types).evaluate(
            [.map(state), .json(["id": "c7", "none": "x"])], steps: &steps)
    }

    @Test(
        arguments: [
            ("state.cards[input.id].votes", 7, ["c7"]), ("state.cards[input.id].price / 2", 1.5, ["c7"]),
            ("size(state.cards)", 100_000, []), ("input.id in state.cards", true, ["c7"]),
            ("input.none in state.cards", false, ["x"]), ("has(state.cards.c5)", true, ["c5"]),
            ("state.cards[input.id]", ["votes": 7, "price": 3], ["c7"]), ("state.topic", "t", []),
            ("state.rates.transformList(k, r, r / 2)", [1.5, 2], []),
            ("state.cards.exists(k, k == 'c2')", true, []),
            ("cel.bind(c, state.cards[input.id], c.votes + 1)", 8, ["c7"]),
        ] as [(String, JSON, [String])])
    func `a formula reads only the entries that it names`(_ source: String, _ result: JSON, _ read: [String]) throws {
        let cards = Cards()
        #expect(try outcome(source, cards) == result)
        #expect(cards.read.withLock { Set($0) } == Set(read))
    }

    /// Law F3: a pass over a great table ends with the limit.
    @Test func `a pass over a great table has the limit of steps`() {
        #expect(throws: EvaluationFailure.self) {
            try outcome("state.cards.all(k, state.cards[k].votes >= 0)", Cards())
        }
        #expect(throws: EvaluationFailure.self) { try outcome("state.cards", Cards()) }
    }

    @Test func `a text has formulas in braces`() throws {
        let template = try TextTemplate(
            "card {input.id} of {{{size(state.cards)}}}: {state.topic + '}'} {{'a': 1}}", types: Self.types)
        let cards = Cards()
        let state = LazyMap([("cards", .map(cards.map)), ("topic", .json("t"))])
        var steps = 0
        #expect(
            try template.text([.map(state), .json(["id": "c7"])], steps: &steps)
                == "card c7 of {100000}: t} {'a': 1}")
        #expect(steps > 0 && template.cost > 0)
        #expect(template.reads.map(\.description).contains("size(state.cards)"))
    }

    @Test(arguments: [
        ("card {input.id", "this brace is not closed; write {{ for a brace", 5, ""),
        ("card } x", "this brace closes none; write }} for a brace", 5, ""),
        ("é {stat.topic}", "unknown name 'stat'; did you mean state?", 3, "stat"),
        ("{state.topic + }", "expected a value, found the end", 15, ""),
    ])
    func `a fault of a text has its place in the text`(
        _ source: String, _ words: String, _ offset: Int, _ part: String
    ) throws {
        let faults = #expect(throws: ExpressionFaults.self) { try TextTemplate(source, types: Self.types) }
        let fault = try #require(faults?.all.first)
        #expect(fault.description == words)
        #expect(fault.offset == offset)
        #expect(String(String.UnicodeScalarView(Array(source.unicodeScalars)[fault.range])) == part)
    }

    /// Law F3: a text has the limits of one formula, however many it holds.
    @Test func `the formulas of a text share the limits of one`() throws {
        func faults(_ source: String) -> [ExpressionFault] {
            do throws(ExpressionFaults) {
                _ = try TextTemplate(source, types: Self.types)
                return []
            } catch {
                return error.all
            }
        }
        let long = faults(String(repeating: "a", count: ExpressionLimits.sourceLength + 1))
        #expect(long.map(\.description) == ["the text has 16385 characters; the limit is 16384"])
        let costly = "{[1,2,3,4,5,6,7,8,9,10].map(a, [1,2,3,4,5,6,7,8,9,10].map(b, [1,2,3,4,5,6,7,8,9,10].map(c, a)))}"
        #expect(faults(costly).isEmpty)
        let many = faults(String(repeating: costly, count: 100))
        #expect(many.count == 1)
        #expect(many.first?.description.contains("more than the 100000 allowed") == true)
        #expect(faults(String(repeating: "{nobody}", count: 1_000)).count == 32)
        #expect(faults(#"{'}' + r'\' + """}"""}"#).isEmpty)
    }
}
