import Streams
import Testing

/// Each operator in a trial: the input is a marble with one character per second.
struct OperatorTests {
    @Test(arguments: OperatorCase.ofOneInput + OperatorCase.ofTwoInputs + OperatorCase.joining)
    func `an operator over inputs`(one: OperatorCase) {
        #expect(Bench.events(of: one.source, one.operators, inputs: one.inputs) == one.events)
    }

    @Test func `a failure is caught by another source`() {
        #expect(
            Bench.events(
                of: #"{"input":"a"}"#, #"{"catch":{"source":{"input":"b"}}}"#, inputs: ["a": "-1#", "b": "-8|"])
                == "1:1 3:8 4:end")
    }

    @Test(arguments: [
        // The next source starts before others that start at the same instant.
        (
            #"{"merge":[{"append":[{"stream":[{"value":1},{"value":2}]},{"stream":[{"value":3}]}]},{"stream":[{"value":4}]}]}"#,
            "0:1 0:2 0:3 0:4 0:end"
        ),
        (
            #"{"flatMap":[{"stream":[{"value":1},{"value":2}]},{"source":{"stream":[{"value":1},{"value":2}]},"operators":[{"map":{"expression":"[outer, value]"}}]}]}"#,
            "0:[1,1] 0:[1,2] 0:[2,1] 0:[2,2] 0:end"
        ),
        (
            #"{"combineLatest":[{"stream":[{"value":1},{"value":2}]},{"stream":[{"value":3},{"value":4}]}]}"#,
            "0:[2,3] 0:[2,4] 0:end"
        ),
        (
            #"{"zip":[{"stream":[{"value":1},{"value":2}]},{"stream":[{"value":3},{"value":4}]}]}"#,
            "0:[1,3] 0:[2,4] 0:end"
        ),
    ])
    func `events of one instant come depth first`(source: String, expected: String) {
        #expect(Bench.events(of: source) == expected)
    }

    @Test(arguments: [
        (#"{"map":{"expression":"value * 2"}}"#, "0:20 0:6 0:end"),
        (#"{"filter":{"expression":"value > 3"}}"#, "0:10 0:end"),
        (#"{"scan":{"initialValue":5,"expression":"accumulated * 10 - value"}}"#, "0:40 0:397 0:end"),
        (#"{"removeDuplicates":{"by":"previous - value == 7"}}"#, "0:10 0:end"),
        (#"{"map":{"expression":"value * 2 - outer"}}"#, "0:13 0:-1 0:end"),
        (#"{"filter":{"expression":"value > outer"}}"#, "0:10 0:end"),
        (#"{"scan":{"initialValue":5,"expression":"accumulated * outer - value"}}"#, "0:25 0:172 0:end"),
        (#"{"removeDuplicates":{"by":"previous - value == outer"}}"#, "0:10 0:end"),
    ])
    func `each name in an expression is its value, with an outer value and without`(
        _ operators: String, _ events: String
    ) {
        let inner = #"{"source":{"stream":[{"value":10},{"value":3}]},"operators":[\#(operators)]}"#
        #expect(
            Bench.events(of: #"{"stream":[{"value":7}]}"#, #"{"flatMap":{"source":\#(inner)}}"#, formulas: .cel)
                == events)
        if !operators.contains("outer") { #expect(Bench.events(of: inner, formulas: .cel) == events) }
    }
}
