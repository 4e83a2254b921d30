import Hosting
import JSON
import Reactive
import ServerReads
import StateStore
import Testing

@testable import Streams

/// Runs on a scheduler, here a virtual one.
struct RunTests {
    private let clock = VirtualScheduler()

    private func program(_ text: String, _ stored: String...) throws -> StreamProgram {
        let library = try Bench.library(stored)
        return try StreamProgram(StreamDefinition(JSON(parsing: Array(text.utf8)), formulas: .byHeart)) { library[$0] }
    }

    private static let serial =
        #"{"id":"a","stream":[{"value":1,"operators":[{"delay":{"seconds":1}}]},{"value":2,"operators":[{"delay":{"seconds":1}}]}]}"#

    private let noSources = ExternalSources { _ in nil }

    @Test func `each run begins at the start, ends, and leaves no alarm: Law STREAM7`() throws {
        let program = try program(Self.serial)
        var told: [StreamEvent] = []
        let run = StreamRun(program, on: clock, sources: noSources) { told.append($0) }
        clock.advance(by: .seconds(1))
        var late: [StreamEvent] = []
        let other = StreamRun(program, on: clock, sources: noSources) { late.append($0) }
        clock.advance(by: .seconds(5))
        #expect(told == [.value(1), .value(2), .end])
        #expect(late == [.value(1), .value(2), .end])
        #expect(clock.count == 0)
        withExtendedLifetime((run, other)) {}
    }

    @Test func `a run that is released tells nothing more and leaves no alarm: Law STREAM7`() throws {
        var told: [StreamEvent] = []
        var run: StreamRun? = StreamRun(try program(Self.serial), on: clock, sources: noSources) { told.append($0) }
        clock.advance(by: .seconds(1))
        #expect(run != nil)
        run = nil
        #expect(clock.count == 0)
        clock.advance(by: .seconds(5))
        #expect(told == [.value(1)])
    }

    @Test func `ten thousand runs at once are ten thousand alarms: Law STREAM7`() throws {
        let program = try program(Self.serial)
        var ended = 0
        let runs = (0..<10_000).map { _ in
            StreamRun(program, on: clock, sources: noSources) { if $0 == .end { ended += 1 } }
        }
        #expect(clock.count == 10_000)
        clock.advance(by: .seconds(2))
        #expect(ended == 10_000)
        #expect(clock.count == 0)
        withExtendedLifetime(runs) {}
    }

    @Test func `a failing expression names the value and its place: Law STREAM10`() throws {
        let program = try program(
            #"{"id":"x","source":{"ref":"y"}}"#,
            #"{"id":"y","stream":[{"value":"seven"}],"operators":[{"first":{}},{"map":{"expression":"value * 2"}}]}"#)
        var told: [StreamEvent] = []
        let run = StreamRun(program, on: clock, sources: noSources) { told.append($0) }
        guard case .failure(let failure)? = told.first else {
            Issue.record("\(told)")
            return
        }
        #expect(failure.value == "seven")
        #expect(failure.stream == "y")
        #expect(failure.pointer?.description == "/operators/1/map/expression")
        #expect(failure.problem["pointer"] == "/operators/1/map/expression")
        #expect(told.count == 1)
        withExtendedLifetime(run) {}
    }

    @Test func `a listener of a shared run receives the events from its join on: Law STREAM11`() throws {
        let runs = SharedRuns()
        let program = try program(Self.serial)
        var first: [StreamEvent] = []
        var second: [StreamEvent] = []
        let one = runs.join("main/a", program, on: clock, sources: noSources) { first.append($0) }
        clock.advance(by: .seconds(1))
        let two = runs.join("main/a", program, on: clock, sources: noSources) { second.append($0) }
        #expect(runs.count == 1 && clock.count == 1)
        clock.advance(by: .seconds(1))
        #expect(first == [.value(1), .value(2), .end])
        #expect(second == [.value(2), .end])
        #expect(runs.count == 0)
        withExtendedLifetime((one, two)) {}
    }

    @Test func `a shared run ends when its last listener leaves: Law STREAM11`() throws {
        let runs = SharedRuns()
        let program = try program(Self.serial)
        let one = runs.join("a", program, on: clock, sources: noSources) { _ in }
        let two = runs.join("a", program, on: clock, sources: noSources) { _ in }
        one.cancel()
        #expect(runs.count == 1 && clock.count == 1)
        two.cancel()
        #expect(runs.count == 0 && clock.count == 0)
    }

    @Test func `a listener starts a new run if the definition has changed: Law STREAM11`() throws {
        let runs = SharedRuns()
        var old: [StreamEvent] = []
        var new: [StreamEvent] = []
        let one = runs.join("a", try program(Self.serial), on: clock, sources: noSources) { old.append($0) }
        let two = runs.join("a", try program(#"{"id":"a","stream":[{"value":9}]}"#), on: clock, sources: noSources) {
            new.append($0)
        }
        clock.advance(by: .seconds(2))
        #expect(old == [.value(1), .value(2), .end])
        #expect(new == [.value(9), .end])
        withExtendedLifetime((one, two)) {}
    }

    @Test func `a shared source runs once within a run, others run for each reference: Law STREAM12`() throws {
        let shared =
            #"{"id":"s","stream":[{"value":1,"operators":[{"delay":{"seconds":1}}]}],"operators":[{"share":{}}]}"#
        let cold = shared.replacing(#","operators":[{"share":{}}]"#, with: "")
        for (definition, alarms) in [(shared, 1), (cold, 2)] {
            let clock = VirtualScheduler()
            var told: [StreamEvent] = []
            let run = StreamRun(
                try program(#"{"id":"z","source":{"zip":[{"ref":"s"},{"ref":"s"}]}}"#, definition), on: clock,
                sources: noSources
            ) { told.append($0) }
            #expect(clock.count == alarms)
            clock.advance(by: .seconds(1))
            #expect(told == [.value([1, 1]), .end])
            withExtendedLifetime(run) {}
        }
    }

    @Test func `the durable views of a space feed a run: Law STREAM7`() throws {
        let yard = try Yard()
        let program = try program(
            #"{"id":"x","source":{"view":"numbers.one"},"operators":[{"map":{"expression":"value * 2"}}]}"#)
        var told: [StreamEvent] = []
        var run: StreamRun? = StreamRun(
            program, on: yard.clock,
            sources: ExternalSources(yard.store, yard.permit(program.views.sorted()), for: program)
        ) { told.append($0) }
        yard.here.run()
        yard.post("numbers/set", #"{"one":2}"#)
        yard.post("numbers/set", #"{"other":2}"#)
        #expect(run != nil)
        run = nil
        yard.post("numbers/set", #"{"one":3}"#)
        #expect(told == [.value(2), .value(4)])
    }

    @Test func `a run of live views shows no half of a commit, however deep they are joined: Law STREAM8`() throws {
        let yard = try Yard()
        let program = try program(
            #"{"id":"x","source":{"combineLatest":[{"view":"numbers.one"},{"combineLatest":[{"view":"numbers.other"},{"view":"numbers.one"}]}]}}"#
        )
        var told: [StreamEvent] = []
        let run = StreamRun(
            program, on: yard.clock,
            sources: ExternalSources(yard.store, yard.permit(program.views.sorted()), for: program)
        ) {
            told.append($0)
        }
        yard.here.run()
        yard.post("numbers/set", #"{"one":2,"other":3}"#)
        #expect(told.count == 2 && told.last == .value([2, [3, 2]]), "\(told)")
        withExtendedLifetime(run) {}
    }

    @Test func `a second subscription to a view within a run receives its value at once: Law STREAM7`() throws {
        let yard = try Yard()
        let program = try program(
            #"""
            {"id":"x","source":{"append":[{"source":{"view":"numbers.one"},"operators":[{"prefix":{"count":2}}]},{"view":"numbers.one"}]}}
            """#)
        var told: [StreamEvent] = []
        let run = StreamRun(
            program, on: yard.clock,
            sources: ExternalSources(yard.store, yard.permit(program.views.sorted()), for: program)
        ) {
            told.append($0)
        }
        yard.here.run()
        yard.post("numbers/set", #"{"one":2}"#)
        yard.here.run()
        yard.post("numbers/set", #"{"one":3}"#)
        #expect(told == [.value(1), .value(2), .value(2), .value(3)])
        withExtendedLifetime(run) {}
    }

    @Test func `a library has the definitions of a space, ready to run and to try`() throws {
        let yard = try Yard()
        let view = yard.get("streams.definitions").dropFirst("streams.definitions=".count)
        let library = try DefinitionLibrary(parsing: Array(view.utf8), formulas: .byHeart)
        #expect(library["a"]?["name"] == "Serial Stream A")
        #expect(try library.program("zip")?.isLive == false)
        #expect(try library.program("nobody") == nil)
        let answer = try library.trial(JSON(parsing: Array(#"{"definition":{"source":{"ref":"zip"}}}"#.utf8))).run()
        #expect(
            answer["events"]
                == [
                    ["at": 2, "value": [1, "A"]], ["at": 4, "value": [2, "B"]], ["at": 6, "value": [3, "C"]],
                    ["at": 8, "value": [4, "D"]], ["at": 8, "end": true],
                ])
    }
}
