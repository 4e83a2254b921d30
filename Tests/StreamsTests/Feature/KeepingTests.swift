import JSON
import StateStore
import Testing

@testable import Streams

/// Definitions as state: put, removed and kept.
struct KeepingTests {
    private let yard: Yard

    init() throws {
        yard = try Yard()
    }

    private func ids() throws -> [String] {
        let view = yard.get("streams.definitions").dropFirst("streams.definitions=".count)
        return try [JSON](parsing: Array(view.utf8)).map { "\($0["id"]!)" }
    }

    @Test func `every space of a server with the example streams starts with ten, without a commit: Law STREAM5`()
        throws
    {
        #expect(
            try ids().map { $0.filter { $0 != "\"" } }
                == ["a", "append", "b", "combineLatest", "drop", "filter", "map", "merge", "scan", "zip"])
    }

    @Test func `without the example streams a space starts with none, and keeps what it stored: Law STREAM5`() throws {
        let journal = MemoryJournal()
        #expect(try Yard(journal, hasExamples: false).get("streams.definitions") == "streams.definitions=[]")
        #expect(try Yard(journal).put(#"{"id":"mine","source":{"ref":"a"}}"#) == "1 streams.definitions")
        // The first commit stores all definitions that the space has.
        let later = try Yard(journal, hasExamples: false).get("streams.definitions")
        #expect(later.contains("Zip") && later.contains("mine"))
        let other = try Yard(journal, space: "other", hasExamples: false)
        #expect(other.put(#"{"id":"mine","source":{"ref":"a"}}"#) == #"/source/ref: there is no stream "a""#)
    }

    @Test func `changes of the ten first definitions survive a restart: Law STREAM5`() throws {
        let journal = MemoryJournal()
        do {
            let yard = try Yard(journal)
            #expect(yard.post("streams/remove", #"{"id":"zip"}"#) == "1 streams.definitions")
            #expect(yard.put(#"{"id":"b","name":"Mine","stream":[]}"#) == "2 streams.definitions")
        }
        let view = try Yard(journal).get("streams.definitions")
        #expect(!view.contains("Zip") && view.contains("Mine") && view.contains("Serial Stream A"))
    }

    @Test func `a definition is kept exactly as it was given: Law STREAM1`() throws {
        let text = #"{"operators":[{"first":{}}],"description":null,"id":"x.y-z_1","source":{"ref":"a"},"name":"N"}"#
        #expect(yard.put(text) == "1 streams.definitions")
        #expect(yard.get("streams.definitions").contains(text))
        #expect(yard.put(text) == "1")
    }

    @Test func `one answer lists all faults with their places: Law STREAM2`() {
        #expect(
            yard.put(#"{"id":"-","stream":1,"operators":[{"map":{}},{"fold":{}}],"x":1}"#) == """
                /x: "x" is not known here
                /id: the id must be a UUID or a name: a letter or digit, then up to 127 letters, digits, '.', '_' or '-'
                /stream: a stream must be an array, not a number
                /operators/0/map/expression: map needs "expression"
                /operators/1/fold: there is no operator "fold"
                """)
        #expect(
            yard.put(
                #"{"id":"put","source":{"merge":[{"ref":"nobody"},{"view":"numbers.none"}]},"operators":[{"fold":{}}]}"#
            ) == """
                /operators/0/fold: there is no operator "fold"
                /id: "put" is the name of an action or a view of the streams; take another id
                /source/merge/0/ref: there is no stream "nobody"
                /source/merge/1/view: there is no view "numbers.none" in this space
                """)
        #expect(
            yard.put(#"{"id":"a","source":{"append":[{"ref":"nobody"},{"ref":"map"}]}}"#) == """
                /source/append/0/ref: there is no stream "nobody"
                /source/append/1/ref: the streams refer to each other in a cycle: a → map → a
                """)
    }

    @Test(arguments: [
        (#"{"id":"x","source":{"ref":"nobody"}}"#, #"/source/ref: there is no stream "nobody""#),
        (
            #"{"id":"x","source":{"view":"numbers.none"}}"#,
            #"/source/view: there is no view "numbers.none" in this space"#
        ),
        (
            #"{"id":"x","source":{"view":"streams.a"}}"#,
            #"/source/view: another stream is named by {"ref": "…"}, not as a view"#
        ),
        (#"{"id":"x","source":{"ref":"x"}}"#, "/source/ref: the streams refer to each other in a cycle: x → x"),
        (
            #"{"id":"a","source":{"append":[{"ref":"b"},{"ref":"map"}]}}"#,
            "/source/append/1/ref: the streams refer to each other in a cycle: a → map → a"
        ),
        (
            #"{"id":"put","stream":[]}"#,
            #"/id: "put" is the name of an action or a view of the streams; take another id"#
        ),
        (
            #"{"id":"x","source":{"input":"a"}}"#,
            "/source/input: only a trial (streams:test) can have inputs"
        ),
        (#"{"stream":[]}"#, #"/id: the member "id" is missing; it \#(Identifier.demand)"#),
    ])
    func `a definition that conflicts with others is refused: Law STREAM3`(definition: String, words: String) {
        #expect(yard.put(definition) == words)
        #expect(yard.get("streams.nothing").hasPrefix("no view"))
    }

    @Test func `a definition in use is not removed, and its users are named: Law STREAM4`() {
        #expect(
            yard.post("streams/remove", #"{"id":"a"}"#)
                == #"/id: the stream "a" is referred to by "append", "combineLatest", "drop", "filter", "map", "merge", "scan", "zip": "#
                + "change or remove these first")
        #expect(yard.post("streams/remove", #"{"id":"nobody"}"#) == #"/id: there is no stream "nobody""#)
    }

    @Test func `no stream can have the name of an action or a view: Law STREAM3`() throws {
        let registry = try Registry([.streams(.byHeart)])
        #expect(
            Set(registry.actions.map(\.name) + registry.views.map(\.name.label))
                == Set(StreamsService.taken))
    }

    @Test func `a definition cannot grow beyond the limit of one that refers to it: Law STREAM3`() {
        let items = Array(repeating: #"{"value":1}"#, count: 1_000).joined(separator: ",")
        let nine = Array(repeating: #"{"ref":"base"}"#, count: 9).joined(separator: ",")
        #expect(yard.put(#"{"id":"base","stream":[]}"#).hasPrefix("1"))
        #expect(yard.put(#"{"id":"user","source":{"merge":[\#(nine),{"merge":[\#(nine)]}]}}"#).hasPrefix("2"))
        #expect(yard.put(#"{"id":"base","stream":[\#(items)]}"#).contains("10000 are the most"))
    }
}
