import JSON
import Reactive
import StateStore
import Streams
import Testing

/// The cases of the operators in a space: the inputs are its commits.
struct KeptOperatorTests {
    private static let kept = (OperatorCase.ofOneInput + OperatorCase.ofTwoInputs + OperatorCase.joining)
        .filter(\.isKept)

    @Test(arguments: kept, [false, true])
    func `a stream of a space delivers the events of the case: Law KEPT1, Law HISTORY4`(
        one: OperatorCase, restarts: Bool
    ) throws {
        let tape = try Tape(Tape.features)
        let document =
            #"{"id":"x","source":\#(one.source),"operators":["# + (one.operators.isEmpty ? "" : one.operators + ",")
            + #"{"append":{"values":["end"]}},{"scan":{"initialValue":[],"expression":"accumulated + [value]"}}]}"#
        #expect(tape.market.post("streams/put", Tape.overCommits(document)))
        try tape.play(one.inputs, restarts) { second in
            let events = Self.events(of: one.kept, until: second)
            let shown = tape.market.get("streams.x")
            if events.contains(where: { $0.hasPrefix("failed") }) {
                #expect(shown == "", "at \(second)")
            } else {
                #expect(shown == (events.isEmpty ? "null" : "[\(events.joined(separator: ","))]"), "at \(second)")
            }
        }
    }

    /// The events of a case up to a second.
    static func events(of line: String, until second: Int) -> [String] {
        line.split(separator: " ").compactMap { event in
            let parts = event.split(separator: ":", maxSplits: 1).map(String.init)
            // The rest of a failure's words has no time.
            guard parts.count == 2, let time = Double(parts[0]), time <= Double(second) else { return nil }
            return parts[1] == "end" ? #""end""# : parts[1]
        }
    }
}

/// A space whose commits are the events of inputs.
final class Tape {
    let market: Market

    init(_ features: [Feature]) throws {
        market = try Market(features)
    }

    /// Puts commits into the place of the inputs of a document. A commit `|` ends its input, and `#` fails it.
    static func overCommits(_ document: String) -> String {
        ["a", "b"].reduce(document) { text, input in
            text.replacing(
                #"{"input":"\#(input)"}"#,
                with: #"{"source":{"fold":{"over":{"changes":["tape/\#(input)"]},"initialValue":null,"#
                    + #""expression":"has(change.input.number) ? change.input.number : change.input.mark"}},"#
                    + #""operators":[{"dropFirst":{"count":1}},{"prefix":{"while":"value != '|'"}},"#
                    + #"{"map":{"expression":"value == '#' ? value.nothing : value"}}]}"#)
        }
    }

    /// Plays inputs, one character a second, and calls `check` each second. With `restarts` a new server begins after each
    /// event and each second.
    func play(_ inputs: [String: String], _ restarts: Bool, _ check: (_ second: Int) throws -> Void) throws {
        for second in 0..<20 {
            market.clock.advance(to: .zero + .seconds(second))
            market.here.run()
            if restarts { try market.restart() }
            for (name, marble) in inputs.sorted(by: { $0.key < $1.key }) {
                guard let mark = marble.dropFirst(second).first, mark != "-" else { continue }
                let input = mark.isNumber ? #"{"number":\#(mark)}"# : #"{"mark":"\#(mark)"}"#
                #expect(market.post("tape/\(name)", input))
                if restarts { try market.restart() }
            }
            try check(second)
        }
    }

    /// The features of a space with commits and streams.
    static let features = [
        Feature("tape", TapeState.init, TapeService.init, { TapeViewModel($0) }), .streams(hasExamples: false),
    ]
}

struct TapeState {
    let count = Variable(0)
}

struct TapeService: StateService {
    let a: Action<TapeInput>
    let b: Action<TapeInput>

    init(_ state: TapeState) {
        a = Action { _, commit in commit[state.count] += 1 }
        b = Action { _, commit in commit[state.count] += 1 }
    }
}

struct TapeInput: Record {
    var number: Int?
    var mark: String?

    static let shape = Shape(TapeInput()) {
        $0.optional("number", \.number)
        $0.optional("mark", \.mark)
    }
}

struct TapeViewModel: ViewModel {
    let count: Observable<Int>

    init(_ state: TapeState) {
        count = state.count
    }
}

/// The cases of the operators as named operators of a view model in Swift.
struct NamedOperatorCaseTests {
    /// A view model with one operator over the numbers of commits, and all that it has shown.
    private struct Shown: ViewModel {
        let shown: Observable<[Int]>
    }

    private struct NamedCase: Sendable, CustomTestStringConvertible {
        let marble: String
        let events: String
        let testDescription: String
        let make: @Sendable (Observable<Int>) -> Observable<Int>
    }

    /// Returns the case of the table with the same operator.
    private static func named(
        _ operators: String, _ marble: String, _ make: @escaping @Sendable (Observable<Int>) -> Observable<Int>
    ) -> NamedCase {
        let one = OperatorCase.ofOneInput.first { $0.operators == operators && $0.inputs["a"] == marble }
        return NamedCase(
            marble: marble, events: one?.kept ?? "the table has no such case", testDescription: operators, make: make)
    }

    private static let cases = [
        named(#"{"scan":{"initialValue":10,"expression":"accumulated + value"}}"#, "-1-2-3|") {
            $0.scan("x", 10) { $0 + $1 }
        },
        named(#"{"filter":{"expression":"value != 3"}}"#, "-1-3-2|") { $0.filter("x") { $0 != 3 } },
        named(#"{"compactMap":{"expression":"value != 3 ? value : null"}}"#, "-1-3-2|") {
            $0.compactMap("x") { $0 != 3 ? $0 : nil }
        },
        named(#"{"removeDuplicates":{}}"#, "1122-1|") { $0.removeDuplicates("x") },
        named(#"{"removeDuplicates":{"by":"value - previous < 2"}}"#, "1246|") {
            $0.removeDuplicates("x") { $1 - $0 < 2 }
        },
        named(#"{"dropFirst":{"count":2}}"#, "-1-2-3|") { $0.dropFirst("x", 2) },
        named(#"{"drop":{"while":"value < 3"}}"#, "12321|") { $0.drop("x") { $0 < 3 } },
        named(#"{"prefix":{"count":2}}"#, "-1-2-3|") { $0.prefix("x", 2) },
        named(#"{"prefix":{"while":"value < 3"}}"#, "12321|") { $0.prefix("x") { $0 < 3 } },
        named(#"{"first":{}}"#, "-1-2-|") { $0.first("x") },
        named(#"{"delay":{"seconds":0.5}}"#, "-1-2|") { $0.delay("x", .milliseconds(500)) },
        named(#"{"debounce":{"seconds":1.5}}"#, "-12--3-|") { $0.debounce("x", .milliseconds(1_500)) },
        named(#"{"throttle":{"seconds":2,"latest":false}}"#, "1234-5|") {
            $0.throttle("x", .seconds(2), latest: false)
        },
        named(#"{"throttle":{"seconds":2,"latest":true}}"#, "1234-5|") { $0.throttle("x", .seconds(2), latest: true) },
    ]

    @Test(arguments: cases, [false, true])
    private func `a named operator shows the events of the case, which it does not end: Law KEPT1, Law HISTORY6`(
        one: NamedCase, restarts: Bool
    ) throws {
        let feature = Feature(
            "tape", TapeState.init, TapeService.init,
            { (_: TapeState) in
                Shown(shown: one.make(changes("tape/a", TapeInput.self).compactMap { $0.input.number }).collect("all"))
            })
        let tape = try Tape([feature])
        let values = one.events.split(separator: " ").filter { !$0.hasSuffix(":end") }.joined(separator: " ")
        try tape.play(["a": one.marble.filter { $0 != "|" }], restarts) { second in
            let events = KeptOperatorTests.events(of: values, until: second)
            #expect(tape.market.get("tape.shown") == "[\(events.joined(separator: ","))]", "at \(second)")
        }
    }
}
