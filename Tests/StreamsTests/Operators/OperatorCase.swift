import Testing

/// An operator and its events: each host of operators must deliver them, with a restart after any of them.
struct OperatorCase: Sendable, CustomTestStringConvertible {
    /// The events of the inputs, one character a second.
    let inputs: [String: String]
    let source: String
    let operators: String
    /// The events in a trial, as `1:2 3:end`.
    let events: String
    /// The events in a space, where an alarm goes off before an action of the same instant, and whose commits have no
    /// beginning of their own.
    let kept: String

    /// One operator over the input `a`.
    init(_ marble: String, _ operators: String, _ events: String, kept: String? = nil) {
        self.init(of: #"{"input":"a"}"#, operators, events, inputs: ["a": marble], kept: kept)
    }

    /// A source with operators over inputs.
    init(
        of source: String, _ operators: String, _ events: String,
        inputs: [String: String] = ["a": "-1-2-3|", "b": "--8-9|"], kept: String? = nil
    ) {
        (self.inputs, self.source, self.operators, self.events) = (inputs, source, operators, events)
        self.kept = kept ?? events
    }

    var testDescription: String { "\(source) \(operators) \(inputs.sorted { $0.key < $1.key }.map(\.value))" }

    /// The operators that only runs and trials have.
    private static let forRuns = ["retry", "catch", "flatMap", "concatMap", "switchToLatest", "share"]

    var isKept: Bool { !Self.forRuns.contains { "\(source)\(operators)".contains("\"\($0)\"") } }

    /// Each operator over one input.
    static let ofOneInput = [
        OperatorCase("-1-2-|", #"{"map":{"expression":"value * 2"}}"#, "1:2 3:4 5:end"),
        OperatorCase("-1-3-2|", #"{"compactMap":{"expression":"value != 3 ? value : null"}}"#, "1:1 5:2 6:end"),
        OperatorCase(
            "-1-2-3|", #"{"scan":{"initialValue":10,"expression":"accumulated + value"}}"#, "1:11 3:13 5:16 6:end"),
        OperatorCase("-1-2-3|", #"{"reduce":{"initialValue":10,"expression":"accumulated + value"}}"#, "6:16 6:end"),
        OperatorCase("-1-3-2|", #"{"filter":{"expression":"value != 3"}}"#, "1:1 5:2 6:end"),
        OperatorCase("1122-1|", #"{"removeDuplicates":{}}"#, "0:1 2:2 5:1 6:end"),
        OperatorCase("1246|", #"{"removeDuplicates":{"by":"value - previous < 2"}}"#, "0:1 2:4 3:6 4:end"),
        OperatorCase("-1-2-3|", #"{"dropFirst":{"count":2}}"#, "5:3 6:end"),
        OperatorCase("12321|", #"{"drop":{"while":"value < 3"}}"#, "2:3 3:2 4:1 5:end"),
        OperatorCase("-1-2-3|", #"{"prefix":{"count":2}}"#, "1:1 3:2 3:end"),
        OperatorCase("-1-2-3|", #"{"prefix":{"count":0}}"#, "0:end"),
        OperatorCase("12321|", #"{"prefix":{"while":"value < 3"}}"#, "0:1 1:2 2:end"),
        OperatorCase("-1-2-|", #"{"first":{}}"#, "1:1 1:end"),
        OperatorCase("-1-2-|", #"{"last":{}}"#, "5:2 5:end"),
        OperatorCase("-1-2-|", #"{"element":{"at":1}}"#, "3:2 3:end"),
        OperatorCase("-1-2-|", #"{"count":{}}"#, "5:2 5:end"),
        OperatorCase("12345|", #"{"collect":{"count":2}}"#, "1:[1,2] 3:[3,4] 5:[5] 5:end"),
        OperatorCase("-1-2--3|", #"{"collect":{"seconds":2.5}}"#, "2.5:[1] 5:[2] 7:[3] 7:end"),
        OperatorCase("12|", #"{"collect":{}}"#, "2:[1,2] 2:end"),
        OperatorCase("-1|", #"{"prepend":{"values":[8,9]}}"#, "0:8 0:9 1:1 2:end"),
        OperatorCase("-1|", #"{"append":{"values":[8,9]}}"#, "1:1 2:8 2:9 2:end"),
        OperatorCase("-1-2|", #"{"delay":{"seconds":0.5}}"#, "1.5:1 3.5:2 4.5:end"),
        OperatorCase("-1-2#", #"{"delay":{"seconds":3}}"#, "4:failed(\"the input failed\")"),
        OperatorCase("-12--3-|", #"{"debounce":{"seconds":1.5}}"#, "3.5:2 6.5:3 7:end"),
        OperatorCase("-12|", #"{"debounce":{"seconds":5}}"#, "3:2 3:end"),
        OperatorCase("1234-5|", #"{"throttle":{"seconds":2,"latest":false}}"#, "0:1 2:3 5:5 6:end"),
        OperatorCase(
            "1234-5|", #"{"throttle":{"seconds":2,"latest":true}}"#, "0:1 2:3 4:4 6:5 6:end",
            kept: "0:1 2:2 4:4 6:5 6:end"),
        OperatorCase("-1--2|", #"{"timeout":{"seconds":2}}"#, "1:1 3:failed(\"nothing came for 2 seconds\")"),
        OperatorCase("-1-2|", #"{"timeout":{"seconds":2.5}}"#, "1:1 3:2 4:end"),
        OperatorCase("-1#", #"{"retry":{"count":1}}"#, "1:1 3:1 4:failed(\"the input failed\")"),
        OperatorCase("-1#", #"{"retry":{"count":0}}"#, "1:1 2:failed(\"the input failed\")"),
        OperatorCase("-1#", #"{"replaceError":{"with":"gone"}}"#, "1:1 2:\"gone\" 2:end"),
        OperatorCase("--|", #"{"replaceEmpty":{"with":null}}"#, "2:null 2:end"),
        OperatorCase("-1|", #"{"replaceEmpty":{"with":null}}"#, "1:1 2:end"),
        OperatorCase("-1-|", #"{"ignoreOutput":{}}"#, "3:end"),
        OperatorCase("2131|", #"{"min":{}}"#, "4:1 4:end"),
        OperatorCase("2131|", #"{"max":{}}"#, "4:3 4:end"),
        OperatorCase("ba|", #"{"min":{}}"#, "2:\"a\" 2:end"),
        OperatorCase("|", #"{"min":{}}"#, "0:end"),
        OperatorCase("-1-2|", #"{"share":{}}"#, "1:1 3:2 4:end"),
        OperatorCase("-1-2|", #"{"measureInterval":{}}"#, "1:1 3:2 4:end"),
        OperatorCase("-1-3|", #"{"allSatisfy":{"expression":"value < 3"}}"#, "3:false 3:end"),
        OperatorCase("-1-2|", #"{"contains":{"value":2}}"#, "3:true 3:end"),
        OperatorCase("-1-2|", #"{"contains":{"value":"2"}}"#, "4:false 4:end"),
    ]

    /// Operators with another source.
    static let ofTwoInputs = [
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
    ].map { OperatorCase(of: #"{"input":"a"}"#, $0.0, $0.1) }

    /// Sources that join others.
    static let joining = [
        (#"{"merge":[{"input":"a"},{"input":"b"}]}"#, "1:1 2:8 3:2 4:9 5:3 6:end"),
        (#"{"append":[{"input":"a"},{"input":"b"}]}"#, "1:1 3:2 5:3 8:8 10:9 11:end"),
        (#"{"zip":[{"input":"a"},{"input":"b"}]}"#, "2:[1,8] 4:[2,9] 5:end"),
        (#"{"combineLatest":[{"input":"a"},{"input":"b"}]}"#, "2:[1,8] 3:[2,8] 4:[2,9] 5:[3,9] 6:end"),
        (#"{"flatMap":[{"input":"a"},{"input":"b"}]}"#, "3:8 5:9 5:8 7:9 7:8 9:9 10:end"),
        (
            #"{"flatMap":[{"input":"a"},{"source":{"input":"b"},"operators":[{"map":{"expression":"[outer, value]"}}]}]}"#,
            "3:[1,8] 5:[1,9] 5:[2,8] 7:[2,9] 7:[3,8] 9:[3,9] 10:end"
        ),
    ].map { OperatorCase(of: $0.0, "", $0.1, kept: $0.0.contains("append") ? "1:1 3:2 5:3" : nil) }
}
