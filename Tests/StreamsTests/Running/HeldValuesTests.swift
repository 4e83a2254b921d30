import JSON
import Reactive
import Testing

@testable import Streams

/// The memory of one run: the values that its operators hold.
struct HeldValuesTests {
    private static let text = JSON.string(String(repeating: "x", count: 1_000_000))

    /// Returns the failure of a run of merged sources; nil if the run goes on.
    private func failure(of sources: [String], _ view: [JSON]) throws -> String? {
        let body = #"{"id":"x","source":{"merge":[\#(sources.joined(separator: ","))]},"operators":[{"count":{}}]}"#
        let program = try StreamProgram(Definition.read(body)) { _ in nil }
        var failure: String?
        let external = ExternalSources { name in
            name == "some.view" ? append(view.map { .just($0) } + [.never()]) : .never()
        }
        let run = StreamRun(program, on: VirtualScheduler(), sources: external) {
            if case .failure(let reason) = $0 { failure = reason.description }
        }
        withExtendedLifetime(run) {}
        return failure
    }

    private enum Definition {
        static func read(_ body: String) throws -> StreamDefinition {
            try StreamDefinition(JSON(parsing: Array(body.utf8)))
        }
    }

    private static func source(_ operators: String) -> String {
        #"{"source":{"view":"some.view"},"operators":[\#(operators)]}"#
    }

    @Test(arguments: [
        source(#"{"scan":{"initialValue":"","expression":"value"}}"#),
        source(#"{"reduce":{"initialValue":"","expression":"value"}}"#),
        source(#"{"removeDuplicates":{}}"#),
        source(#"{"removeDuplicates":{"by":"value == previous"}}"#),
        source(#"{"debounce":{"seconds":60}}"#),
        source(#"{"throttle":{"seconds":60,"latest":true}}"#),
        source(#"{"last":{}}"#), source(#"{"min":{}}"#), source(#"{"max":{}}"#),
        source(#"{"sample":{"source":{"view":"some.silence"}}}"#),
        source(#"{"flatMap":{"source":{"view":"some.silence"}}},{"first":{}}"#),
        #"{"source":{"view":"some.silence"},"operators":[{"withLatestFrom":{"source":{"view":"some.view"}}}]}"#,
        #"{"combineLatest":[{"view":"some.view"},{"view":"some.silence"}]}"#,
        source(#"{"delay":{"seconds":60}}"#),
    ])
    func `the values that the operators of a run hold are bounded together: Law STREAM13`(source: String) throws {
        let values = source.contains("min") || source.contains("max") ? [Self.text, Self.text] : [Self.text]
        #expect(try failure(of: Array(repeating: source, count: 8), values) == nil)
        let excess = "the values that the operators hold are larger than 16777216 together"
        #expect(try failure(of: Array(repeating: source, count: 17), values) == excess)
    }

    @Test func `an operator that drops its value makes room for others: Law STREAM13`() throws {
        let source = Self.source(#"{"scan":{"initialValue":"","expression":"value"}}"#)
        // Each value takes the place of the one before; a number takes no room.
        #expect(try failure(of: Array(repeating: source, count: 8), [Self.text, 1, Self.text, Self.text]) == nil)
    }
}
