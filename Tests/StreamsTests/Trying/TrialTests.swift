import JSON
import Testing

@testable import Streams

/// Trials in the form that clients send.
struct TrialTests {
    private func answer(_ body: String) -> String { "\(Bench.answer(to: body) ?? nil)" }

    @Test func `the events of ten hours are exact to the nanosecond: Law STREAM14`() {
        #expect(
            answer(
                #"{"definition":{"source":{"input":"a"},"operators":[{"delay":{"seconds":3600}},{"delay":{"seconds":0.1}}]},"inputs":{"a":[{"at":32400.2,"value":"x"},{"at":32400.300000001,"end":true}]}}"#
            ) == #"{"events":[{"at":36000.3,"value":"x"},{"at":36000.400000001,"end":true}],"marble":null,"step":null}"#
        )
    }

    @Test func `an input is read from a marble and the events are drawn as one: Law STREAM14`() {
        #expect(
            answer(
                #"{"definition":{"source":{"input":"a"},"operators":[{"delay":{"seconds":1}}]},"inputs":{"a":"-1-(2x)|"},"values":{"x":{"y":null}}}"#
            )
                == #"{"events":[{"at":2,"value":"1"},{"at":4,"value":"2"},{"at":4,"value":{"y":null}},{"at":8,"end":true}],"marble":"--1-(2x)|","step":1}"#
        )
    }

    @Test(arguments: [
        ("0.1", "0.3", "-1-|", "0.1"), ("0.1", "0.25", "----------1--------------|", "0.01"),
        ("0.001", "0.004", "-1--|", "0.001"),
        // A finer step, if the events of one instant need the room.
        ("1", "1", "-(1|)", "1"), ("9", "99.9", nil, "0.1"), ("9", "100.1", nil, nil), ("900", "998", nil, "1"),
        ("0.0005", "1", nil, nil),
    ])
    func `a marble has the longest step that fits all events: Law STREAM14`(
        value: String, end: String, marble: String?, step: String?
    ) {
        let answer = answer(
            #"{"definition":{"source":{"input":"a"}},"inputs":{"a":[{"at":\#(value),"value":1},{"at":\#(end),"end":true}]}}"#
        )
        if let marble { #expect(answer.contains("\"marble\":\"\(marble)\"")) }
        #expect(
            answer.hasSuffix("\"step\":\(step ?? "null")}") && answer.contains("\"marble\":null") == (step == nil),
            "\(answer)")
    }

    @Test func `other values are drawn as letters, and the marble is read back with them: Law STREAM14`() throws {
        let body =
            #"{"definition":{"source":{"input":"a"}},"inputs":{"a":[{"at":0,"value":10},{"at":1,"value":"a"},{"at":2,"value":"b"},{"at":2,"value":10},{"at":8,"value":"1"},{"at":9,"value":1},{"at":10,"value":null},{"at":11,"end":true}]}}"#
        let answer = try #require(Bench.answer(to: body) ?? nil)
        #expect(answer["marble"] == "ca(bc)--1de|" && answer["values"] == ["c": 10, "d": 1, "e": nil], "\(answer)")
        let again =
            #"{"definition":{"source":{"input":"a"}},"inputs":{"a":"ca(bc)--1de|"},"values":{"c":10,"d":1,"e":null}}"#
        #expect((Bench.answer(to: again) ?? nil)?["events"] == answer["events"])
    }

    @Test func `the faults of a definition come together with its unknown names: Law STREAM2`() {
        #expect(
            Bench.answer(
                to:
                    #"{"definition":{"source":{"merge":[{"input":"b"},{"view":"c.d"},{"ref":"e"}]},"operators":[{"nope":{}}]},"inputs":{"a":""}}"#
            )
                == .string(
                    """
                    /definition/operators/0/nope: there is no operator "nope"
                    /definition/source/merge/0/input: there is no input "b" in the trial
                    /definition/source/merge/2/ref: there is no stream "e"
                    """))
    }

    @Test func `a failure is a problem: Law STREAM14`() {
        #expect(
            answer(#"{"definition":{"source":{"input":"a"}},"inputs":{"a":[{"at":1,"error":"why"}]}}"#)
                == #"{"events":[{"at":1,"error":{"type":"/problems/stream-failed","title":"The stream failed","status":422,"detail":"why"}}],"marble":"-#","step":1}"#
        )
    }

    @Test func `a trial lasts until its end, by default one day: Law STREAM14`() {
        let body =
            #"{"definition":{"stream":[{"value":1,"operators":[{"delay":{"seconds":2}}]},{"value":2,"operators":[{"delay":{"seconds":2}}]}]},"until":"#
        #expect(answer(body + "2}") == #"{"events":[{"at":2,"value":1}],"marble":"--1","step":1}"#)
        #expect(answer(body + "1.999}") == #"{"events":[],"marble":"","step":1}"#)
        #expect(
            answer(
                #"{"definition":{"source":{"input":"a"}},"inputs":{"a":[{"at":86400,"value":1},{"at":86400.1,"value":2}]}}"#
            )
                == #"{"events":[{"at":86400,"value":1}],"marble":null,"step":null}"#)
    }

    @Test func `each subscription plays an input from its start: Law STREAM14`() {
        #expect(Bench.events(of: #"{"append":[{"input":"a"},{"input":"a"}]}"#, inputs: ["a": "-1|"]) == "1:1 3:1 4:end")
    }

    @Test func `a view without an input keeps its present value: Law STREAM14`() throws {
        let yard = try Yard()
        let view = yard.get("streams.definitions").dropFirst("streams.definitions=".count)
        let library = try DefinitionLibrary(parsing: Array(view.utf8), formulas: .byHeart)
        let body =
            #"{"definition":{"source":{"merge":[{"view":"c.d"},{"view":"e.f"}]}},"inputs":{"c.d":"-1|"},"until":5}"#
        let trial = try library.trial(JSON(parsing: Array(body.utf8)))
        #expect(trial.views == ["e.f"])
        #expect(trial.lack(of: "e.f").all.map { "\($0.pointer)" } == ["/definition/source/merge/1/view"])
        #expect(try trial.run(present: ["e.f": 7])["events"] == [["at": 0, "value": 7], ["at": 1, "value": "1"]])
    }

    @Test func `a view plays the input of its name: Law STREAM14`() {
        #expect(
            Bench.events(of: #"{"view":"cart.total"}"#, inputs: ["cart.total": "-1-2"]) == "1:1 3:2")
    }

    @Test(arguments: [
        ("1", ": the trial must be an object, not a number"),
        (#"{"x":1}"#, "/x: \"x\" is not known here\n/definition: there is no \"definition\" in the trial"),
        (
            #"{"definition":{"source":{"input":"b"}},"inputs":{"a":""}}"#,
            #"/definition/source/input: there is no input "b" in the trial"#
        ),
        (#"{"definition":{"source":{"ref":"b"}}}"#, #"/definition/source/ref: there is no stream "b""#),
        (
            #"{"definition":{"stream":[]},"until":-1,"inputs":{"a":"(1","b":"1|2","c":3,"d":[{}],"e":[{"at":-1,"value":1}],"f":[{"at":1}],"g":[{"at":1,"end":false}]},"values":{"ab":1}}"#,
            """
            /values/ab: a value is named by one character of a marble, but - | # ( ) and space
            /until: "until" must be a number of seconds from 0 to 1000000000, not -1
            /inputs/a: the marble cannot be read: the parenthesis at character 1 has no counterpart
            /inputs/b: the marble cannot be read: nothing may come after the end, at character 3
            /inputs/c: an input is a list of events or a marble, not a number
            /inputs/d/0/at: the event has no "at", the seconds from the beginning
            /inputs/e/0/at: "at" must be a number of seconds from 0 to 1000000000, not -1
            /inputs/f/0: an event is one of "value", "end" and "error"
            /inputs/g/0/end: "end" can only be true
            """
        ),
    ])
    func `each fault of a request has its place: Law STREAM14`(body: String, words: String) {
        #expect(Bench.answer(to: body) == .string(words))
    }
}
