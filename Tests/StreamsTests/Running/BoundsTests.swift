import JSON
import Reactive
import Testing

@testable import Streams

/// No definition keeps the server busy for ever or exhausts its memory.
struct BoundsTests {
    private static func many(_ count: Int, _ text: String) -> String {
        Array(repeating: text, count: count).joined(separator: ",")
    }

    /// A hundred values, for each of which a hundred run, three times over.
    private static let explosion: String = {
        let items = #"{"stream":[\#(many(100, #"{"value":1}"#))]}"#
        return #"{"flatMap":[\#(many(4, items))]}"#
    }()

    @Test(arguments: [
        explosion,
        #"{"source":{"source":\#(explosion),"operators":[{"map":{"expression":"value * 2"}},{"retry":{"count":100}}]}}"#,
        #"{"source":{"stream":[{"value":"x"}],"operators":[{"map":{"expression":"value * 2"}},\#(many(10, #"{"retry":{"count":100}}"#))]}}"#,
    ])
    func `a definition with too many steps fails, in a run and in a trial: Law STREAM13`(source: String) throws {
        #expect(Bench.events(of: source, #"{"count":{}}"#).contains("takes more than \(StreamLimits.trialSteps) steps"))
        let definition = try StreamDefinition(
            JSON(parsing: Array(#"{"id":"x","source":\#(source)}"#.utf8)), formulas: .byHeart)
        var last: StreamEvent?
        let run = StreamRun(
            try StreamProgram(definition) { _ in nil }, on: VirtualScheduler(), sources: ExternalSources { _ in nil }
        ) { last = $0 }
        guard case .failure(let failure)? = last else {
            Issue.record("\(String(describing: last))")
            return
        }
        #expect(failure.description.contains("steps at one instant"))
        withExtendedLifetime(run) {}
    }

    /// Attempts of attempts, each of which begins with some steps and goes on, after so many seconds, to one more failure.
    private static func attempts(every seconds: String, _ first: String = #"{"value":"x"}"#) -> String {
        let failing =
            #"{"value":"x","operators":[{"delay":{"seconds":\#(seconds)}},{"map":{"expression":"value * 2"}}]}"#
        return #"{"source":{"stream":[\#(first),\#(failing)]},"operators":[\#(many(10, #"{"retry":{"count":100}}"#))]}"#
    }

    @Test(arguments: [
        attempts(every: "0"), attempts(every: "0.000001"), attempts(every: "0.001", many(200, #"{"value":1}"#)),
    ])
    func `alarms a moment apart exhaust the budget: Law STREAM13`(source: String) throws {
        let (last, time, alarms) = try Self.ending(of: source, until: 3_600)
        guard case .failure(let failure)? = last else {
            Issue.record("\(String(describing: last)) after \(alarms) alarms")
            return
        }
        #expect(failure.description == "the stream takes more than 100000 steps in a second by itself")
        #expect(time < .seconds(2) && alarms <= StreamLimits.stepsAtOnce)
    }

    @Test(arguments: [attempts(every: "0.001"), attempts(every: "1", many(999, #"{"value":1}"#))])
    func `a run within its share goes on: Law STREAM13`(source: String) throws {
        let (last, _, alarms) = try Self.ending(of: source, until: 30)
        #expect(last == nil || last?.isFailure == false)
        #expect(alarms >= 30)
    }

    /// Returns the last event of a run, its time, and the number of alarms.
    private static func ending(
        of source: String, until limit: Int
    ) throws -> (last: StreamEvent?, time: Duration, alarms: Int) {
        let definition = try StreamDefinition(
            JSON(parsing: Array(#"{"id":"x","source":\#(source)}"#.utf8)), formulas: .byHeart)
        let clock = VirtualScheduler()
        var last: StreamEvent?
        let run = StreamRun(
            try StreamProgram(definition) { _ in nil }, on: clock, sources: ExternalSources { _ in nil }
        ) { last = $0 }
        var alarms = 0
        while let next = clock.next, next <= .zero + .seconds(limit) {
            // One alarm at a time: each is an instant of its own.
            clock.advance(to: next)
            alarms += 1
        }
        withExtendedLifetime(run) {}
        return (last, clock.now - .zero, alarms)
    }

    @Test func `alarms count as steps, so a short period over a long time ends: Law STREAM13`() {
        #expect(
            Bench.events(
                of: #"{"input":"a"}"#, #"{"collect":{"seconds":0.001}}"#, inputs: ["a": "-"], until: "1000000000"
            )
            .contains("takes more than \(StreamLimits.trialSteps) steps"))
    }

    @Test func `a value cannot grow without end: Law STREAM13`() {
        let items = Self.many(100, #"{"value":1}"#)
        #expect(
            Bench.events(
                of: #"{"stream":[\#(items)]}"#,
                #"{"scan":{"initialValue":0,"expression":"[accumulated, accumulated]"}},{"last":{}}"#
            )
            .contains("larger than 1048576"))
    }

    @Test(arguments: [
        #"{"delay":{"seconds":60}}"#,
        #"{"collect":{}}"#,
        #"{"collect":{"seconds":60}}"#,
        #"{"concatMap":{"source":{"input":"b"}}}"#,
    ])
    func `the number of waiting values in an operator is bounded: Law STREAM13`(operators: String) {
        let items = #"{"stream":[\#(Self.many(200, #"{"value":1}"#))]}"#
        #expect(
            Bench.events(of: #"{"flatMap":[\#(items),\#(items)]}"#, operators, inputs: ["b": "-"])
                == #"0:failed("more than 10000 values wait here")"#)
    }

    @Test func `the waiting values of zip and the open inner runs are bounded: Law STREAM13`() {
        let items = #"{"stream":[\#(Self.many(200, #"{"value":1}"#))]}"#
        let many = #"{"flatMap":[\#(items),\#(items)]}"#
        #expect(
            Bench.events(of: #"{"zip":[{"input":"b"},\#(many)]}"#, inputs: ["b": "-"])
                == #"0:failed("more than 10000 values wait here")"#)
        #expect(
            Bench.events(of: many, #"{"flatMap":{"source":{"input":"b"}}}"#, inputs: ["b": "-"])
                == #"0:failed("more than 1000 runs of inner sources are open")"#)
    }

    @Test func `the number of events of a trial is bounded: Law STREAM13`() {
        let items = #"{"stream":[\#(Self.many(200, #"{"value":1}"#))]}"#
        let events = Bench.events(of: #"{"flatMap":[\#(items),\#(items)]}"#)
        #expect(events.hasSuffix(#"0:failed("more than 10000 events are not delivered")"#))
    }

    @Test func `the deepest valid definition runs: Law STREAM13`() throws {
        var documents = [#"{"id":"s0","stream":[{"value":1}]}"#]
        let operators = Self.many(60, #"{"append":{"values":[]}}"#)
        for number in 1...7 {
            documents.append(#"{"id":"s\#(number)","source":{"ref":"s\#(number - 1)"},"operators":[\#(operators)]}"#)
        }
        #expect(Bench.events(of: #"{"ref":"s7"}"#, stored: documents) == "0:1 0:end")
        documents.append(#"{"id":"s8","source":{"ref":"s7"},"operators":[\#(operators)]}"#)
        documents.append(#"{"id":"s9","source":{"ref":"s8"},"operators":[\#(operators)]}"#)
        #expect(Bench.events(of: #"{"ref":"s9"}"#, stored: documents).contains("500 in a row"))
    }
}

extension StreamEvent {
    fileprivate var isFailure: Bool {
        if case .failure = self { true } else { false }
    }
}
