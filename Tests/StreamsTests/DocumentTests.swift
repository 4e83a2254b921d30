import Foundation
import JSON
import Testing

@testable import Streams

/// The examples of `docs/streams.md`, each run.
struct DocumentTests {
    private let text: String
    private let library: DefinitionLibrary

    init() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        text = try String(contentsOf: root.appending(path: "docs/streams.md"), encoding: .utf8)
        library = try DefinitionLibrary(parsing: JSON.array(ExampleStreams.definitions.values.map(\.document)).json())
    }

    /// The examples: requests and answers.
    private var examples: [(body: String, answer: String)] {
        text.components(separatedBy: "```sh\n").dropFirst().map { part in
            let body = part.components(separatedBy: "'")[1]
            let answer = part.components(separatedBy: "```json\n")[1].components(separatedBy: "\n```")[0]
            return (body, answer)
        }
    }

    @Test func `each example has the documented answer: Law STREAM15`() throws {
        #expect(examples.count > OperatorCatalog.all.names.count)
        for (body, answer) in examples {
            #expect(try "\(library.trial(JSON(parsing: Array(body.utf8))).run())" == answer, "\(body)")
        }
    }

    @Test func `each operator and each source has an example: Law STREAM15`() {
        let bodies = examples.map(\.body).joined()
        for name in OperatorCatalog.all.names + PipelineSource.forms {
            #expect(bodies.contains("\"\(name)\":"), "\(name)")
        }
        for name in OperatorCatalog.all.names { #expect(text.contains("#### `\(name)`\n"), "\(name)") }
    }

    @Test func `the ten first definitions run: Law STREAM5`() throws {
        for id in ExampleStreams.definitions.keys { #expect(try library.program(id) != nil) }
    }
}
