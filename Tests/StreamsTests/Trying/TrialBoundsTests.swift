import JSON
import Testing

@testable import Streams

/// A trial is bounded in its events, in the values it makes and in its time.
struct TrialBoundsTests {
    private static func many(_ count: Int, _ text: String) -> String {
        Array(repeating: text, count: count).joined(separator: ",")
    }
    private static func text(_ count: Int) -> String { #""\#(String(repeating: "x", count: count))""# }
    private static func items(_ count: Int, _ value: String) -> String {
        #"{"stream":[\#(many(count, #"{"value":\#(value)}"#))]}"#
    }

    private func answer(_ source: String, _ operators: String = "") -> String {
        let body = #"{"definition":{"source":\#(source),"operators":[\#(operators)]},"until":3600}"#
        return "\(Bench.answer(to: body, formulas: .cel) ?? nil)"
    }

    @Test(arguments: [
        // As many large values as there are steps.
        (#"{"flatMap":[\#(items(100, "1")),\#(items(1, text(50_000)))]}"#, ""),
        (
            items(400, "1"),
            #"{"map":{"expression":"'\#(String(repeating: "x", count: 2_000))'"}},{"map":{"expression":"[value, value, value, value, value, value]"}}"#
        ),
    ])
    func `the bytes of all events are bounded together: Law STREAM13`(source: String, operators: String) {
        #expect(answer(source, operators).contains("the trial delivers more than 4194304 bytes of JSON"))
    }

    @Test func `a bound that is hit in the midst of a turn ends the trial: Law STREAM13`() {
        let inputs = Self.many(50, #"{"input":"e"}"#)
        let value = Self.text(5_000)
        let body = """
            {"definition":{"source":{"combineLatest":[\(inputs)]},"operators":[]},"until":10,
            "inputs":{"e":[{"at":0,"value":\(value)},{"at":1,"value":\(value)}]}}
            """
        let answer = "\(Bench.answer(to: body, formulas: .cel) ?? nil)"
        #expect(answer.contains("8388608") || answer.contains("4194304"), "\(answer.prefix(200))")
    }

    @Test func `a trial just below the bound of bytes succeeds: Law STREAM13`() {
        #expect(
            !answer(#"{"flatMap":[\#(Self.items(80, "1")),\#(Self.items(1, Self.text(50_000)))]}"#).contains(
                "the trial delivers more"))
    }

    @Test(arguments: [
        ("\"\u{1}\u{1}\\\"\\\\\"", 18), ("\"ä😀\"", 8), ("[1,2.50,-3e10,true,false,null]", 0),
        ("{\"a\":{},\"b\":[]}", 0), ("[[],[[]]]", 0),
    ])
    func `the counted bytes are the written bytes: Law STREAM13`(text: String, count: Int) throws {
        let value: JSON = count == 18 ? .string("\u{1}\u{1}\"\\") : try JSON(parsing: Array(text.utf8))
        #expect(try 1_000 - value.bytesLeft(of: 1_000) == value.json().count)
    }

    @Test(arguments: [
        (
            items(1, text(1_000)),
            many(
                12,
                #"{"withLatestFrom":{"source":\#(items(1, text(1_000)))}},{"map":{"expression":"[value, value, value]"}}"#
            )
        ),
        (items(40, "1"), #"{"scan":{"initialValue":"xxxxxxxx","expression":"accumulated + accumulated"}},{"last":{}}"#),
    ])
    func `no made value exceeds its size limit: Law STREAM13`(source: String, operators: String) {
        let answer = answer(source, operators)
        #expect(answer.utf8.count < 200_000)
        #expect(
            answer.contains("larger than") || answer.contains("longer than") || answer.contains("more than"),
            "\(answer.prefix(300))")
    }

    @Test func `a made value is no deeper than the JSON reader allows: Law STREAM13`() {
        let deep = Self.many(33, #"{"collect":{"count":1}}"#)
        let answer = answer(#"{"source":\#(Self.items(1, "1")),"operators":[\#(deep)]}"#, deep)
        #expect(answer.contains("more than 64 deep"), "\(answer.prefix(300))")
    }

    @Test func `all values that a trial makes are bounded together: Law STREAM13`() {
        let made = answer(
            Self.items(300, "1"),
            #"{"map":{"expression":"'\#(String(repeating: "x", count: 3_000))'"}},\#(Self.many(30, #"{"map":{"expression":"value + ''"}}"#)),{"count":{}}"#
        )
        #expect(
            made.contains("the values that the trial makes are larger than 8388608 together"), "\(made.prefix(300))")
    }

    @Test(arguments: [
        #"{"collect":{}}"#, #"{"collect":{"count":10000}}"#, #"{"delay":{"seconds":60}}"#,
        #"{"collect":{"seconds":60}}"#,
    ])
    func `waiting values are bounded by their size: Law STREAM13`(operators: String) {
        let answer = answer(#"{"flatMap":[\#(Self.items(400, "1")),\#(Self.items(1, Self.text(50_000)))]}"#, operators)
        #expect(
            answer.contains("the values that the operators hold are larger than 16777216 together"),
            "\(answer.prefix(300))")
    }

    @Test func `a trial ends when its time is over, in any operator: Law STREAM13`() throws {
        let items = Self.items(100, "1")
        let body = #"{"definition":{"source":{"flatMap":[\#(items),\#(items)]}}}"#
        var steps = 0
        let trial = try StreamTrial(JSON(parsing: Array(body.utf8)), formulas: .cel) { _ in nil }
        let excess = #expect(throws: TrialExcess.self) {
            try trial.run {
                steps += 1
                return steps < 500
            }
        }
        #expect(excess?.description.contains("computes for longer than 1 s") == true)
        #expect(steps < 600)
    }
}
