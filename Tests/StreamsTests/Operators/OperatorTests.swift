import Streams
import Testing

/// Each operator in a trial: the input is a marble with one character per second.
struct OperatorTests {
    @Test(arguments: [
        ("-1-2-|", #"{"map":{"expression":"value * 2"}}"#, "1:2 3:4 5:end"),
        ("-1-3-2|", #"{"compactMap":{"expression":"value != 3 ? value : null"}}"#, "1:1 5:2 6:end"),
        ("-1-2-3|", #"{"scan":{"initialValue":10,"expression":"accumulated + value"}}"#, "1:11 3:13 5:16 6:end"),
        ("-1-2-3|", #"{"reduce":{"initialValue":10,"expression":"accumulated + value"}}"#, "6:16 6:end"),
        ("-1-3-2|", #"{"filter":{"expression":"value != 3"}}"#, "1:1 5:2 6:end"),
        ("1122-1|", #"{"removeDuplicates":{}}"#, "0:1 2:2 5:1 6:end"),
        ("1246|", #"{"removeDuplicates":{"by":"value - previous < 2"}}"#, "0:1 2:4 3:6 4:end"),
        ("-1-2-3|", #"{"dropFirst":{"count":2}}"#, "5:3 6:end"),
        ("12321|", #"{"drop":{"while":"value < 3"}}"#, "2:3 3:2 4:1 5:end"),
        ("-1-2-3|", #"{"prefix":{"count":2}}"#, "1:1 3:2 3:end"),
        ("-1-2-3|", #"{"prefix":{"count":0}}"#, "0:end"),
        ("12321|", #"{"prefix":{"while":"value < 3"}}"#, "0:1 1:2 2:end"),
        ("-1-2-|", #"{"first":{}}"#, "1:1 1:end"),
        ("-1-2-|", #"{"last":{}}"#, "5:2 5:end"),
        ("-1-2-|", #"{"element":{"at":1}}"#, "3:2 3:end"),
        ("-1-2-|", #"{"count":{}}"#, "5:2 5:end"),
        ("12345|", #"{"collect":{"count":2}}"#, "1:[1,2] 3:[3,4] 5:[5] 5:end"),
        ("-1-2--3|", #"{"collect":{"seconds":2.5}}"#, "2.5:[1] 5:[2] 7:[3] 7:end"),
        ("12|", #"{"collect":{}}"#, "2:[1,2] 2:end"),
        ("-1|", #"{"prepend":{"values":[8,9]}}"#, "0:8 0:9 1:1 2:end"),
        ("-1|", #"{"append":{"values":[8,9]}}"#, "1:1 2:8 2:9 2:end"),
        ("-1-2|", #"{"delay":{"seconds":0.5}}"#, "1.5:1 3.5:2 4.5:end"),
        ("-1-2#", #"{"delay":{"seconds":3}}"#, "4:failed(\"the input failed\")"),
        ("-12--3-|", #"{"debounce":{"seconds":1.5}}"#, "3.5:2 6.5:3 7:end"),
        ("-12|", #"{"debounce":{"seconds":5}}"#, "3:2 3:end"),
        ("1234-5|", #"{"throttle":{"seconds":2,"latest":false}}"#, "0:1 2:3 5:5 6:end"),
        ("1234-5|", #"{"throttle":{"seconds":2,"latest":true}}"#, "0:1 2:3 4:4 6:5 6:end"),
        ("-1--2|", #"{"timeout":{"seconds":2}}"#, "1:1 3:failed(\"nothing came for 2 seconds\")"),
        ("-1-2|", #"{"timeout":{"seconds":2.5}}"#, "1:1 3:2 4:end"),
        ("-1#", #"{"retry":{"count":1}}"#, "1:1 3:1 4:failed(\"the input failed\")"),
        ("-1#", #"{"retry":{"count":0}}"#, "1:1 2:failed(\"the input failed\")"),
        ("-1#", #"{"replaceError":{"with":"gone"}}"#, "1:1 2:\"gone\" 2:end"),
        ("--|", #"{"replaceEmpty":{"with":null}}"#, "2:null 2:end"),
        ("-1|", #"{"replaceEmpty":{"with":null}}"#, "1:1 2:end"),
        ("-1-|", #"{"ignoreOutput":{}}"#, "3:end"),
        ("2131|", #"{"min":{}}"#, "4:1 4:end"),
        ("2131|", #"{"max":{}}"#, "4:3 4:end"),
        ("ba|", #"{"min":{}}"#, "2:\"a\" 2:end"),
        ("|", #"{"min":{}}"#, "0:end"),
        ("-1-2|", #"{"share":{}}"#, "1:1 3:2 4:end"),
        ("-1-2|", #"{"measureInterval":{}}"#, "1:1 3:2 4:end"),
        ("-1-3|", #"{"allSatisfy":{"expression":"value < 3"}}"#, "3:false 3:end"),
        ("-1-2|", #"{"contains":{"value":2}}"#, "3:true 3:end"),
        ("-1-2|", #"{"contains":{"value":"2"}}"#, "4:false 4:end"),
    ])
    func `one operator over an input`(marble: String, operators: String, expected: String) {
        #expect(Bench.events(marble, operators) == expected)
    }

    @Test(arguments: [
        (#"{"withLatestFrom":{"source":{"input":"b"}}}"#, "3:[2,8] 5:[3,9] 6:end"),
        (#"{"sample":{"source":{"input":"b"}}}"#, "2:1 4:2 5:end"),
        (#"{"prefix":{"until":{"input":"b"}}}"#, "1:1 2:end"),
        (#"{"skip":{"until":{"input":"b"}}}"#, "3:2 5:3 6:end"),
        (#"{"flatMap":{"source":{"input":"b"}}}"#, "3:8 5:9 5:8 7:9 7:8 9:9 10:end"),
        (#"{"concatMap":{"source":{"input":"b"}}}"#, "3:8 5:9 8:8 10:9 13:8 15:9 16:end"),
        (#"{"switchToLatest":{"source":{"input":"b"}}}"#, "7:8 9:9 10:end"),
        (
            #"{"flatMap":{"source":{"stream":[{"value":1},{"value":2,"operators":[{"map":{"expression":"outer + value"}}]}]}}}"#,
            "1:1 1:3 3:1 3:4 5:1 5:5 6:end"
        ),
    ])
    func `an operator with another source`(operators: String, expected: String) {
        #expect(Bench.events(of: #"{"input":"a"}"#, operators, inputs: ["a": "-1-2-3|", "b": "--8-9|"]) == expected)
    }

    @Test func `a failure is caught by another source`() {
        #expect(
            Bench.events(
                of: #"{"input":"a"}"#, #"{"catch":{"source":{"input":"b"}}}"#, inputs: ["a": "-1#", "b": "-8|"])
                == "1:1 3:8 4:end")
    }

    @Test(arguments: [
        (#"{"merge":[{"input":"a"},{"input":"b"}]}"#, "1:1 2:8 3:2 4:9 5:3 6:end"),
        (#"{"append":[{"input":"a"},{"input":"b"}]}"#, "1:1 3:2 5:3 8:8 10:9 11:end"),
        (#"{"zip":[{"input":"a"},{"input":"b"}]}"#, "2:[1,8] 4:[2,9] 5:end"),
        (#"{"combineLatest":[{"input":"a"},{"input":"b"}]}"#, "2:[1,8] 3:[2,8] 4:[2,9] 5:[3,9] 6:end"),
        (#"{"flatMap":[{"input":"a"},{"input":"b"}]}"#, "3:8 5:9 5:8 7:9 7:8 9:9 10:end"),
        (
            #"{"flatMap":[{"input":"a"},{"source":{"input":"b"},"operators":[{"map":{"expression":"[outer, value]"}}]}]}"#,
            "3:[1,8] 5:[1,9] 5:[2,8] 7:[2,9] 7:[3,8] 9:[3,9] 10:end"
        ),
    ])
    func `sources that join others`(source: String, expected: String) {
        #expect(Bench.events(of: source, inputs: ["a": "-1-2-3|", "b": "--8-9|"]) == expected)
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
