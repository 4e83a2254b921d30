import Hosting
import JSON
import Reactive
import ServerReads
import StateStore
import Testing

@testable import Streams

/// Definitions and views reach their consumers in the process as values, without JSON text in between.
struct TypedPathTests {
    private let yard: Yard

    init() throws {
        yard = try Yard()
    }

    private func library() throws -> DefinitionLibrary {
        var result: Result<DefinitionLibrary, Refusal>?
        yard.store.definitions(of: yard.permit(["streams.definitions"])) { result = $0 }
        yard.here.run()
        return try #require(result).get()
    }

    @Test func `a definition stays compiled until its row changes`() throws {
        let counted = CountedFormulas()
        let yard = try Yard(formulas: counted.formulas)
        func start(_ id: String) throws {
            yard.store.definitions(of: yard.permit(["streams.definitions"])) { result in
                #expect(throws: Never.self) { try result.get().program(id) }
            }
            yard.here.run()
        }
        _ = yard.put(#"{"id":"x","stream":[],"operators":[{"map":{"expression":"value * 2"}}]}"#)
        _ = yard.put(#"{"id":"y","stream":[],"operators":[{"map":{"expression":"value * 2"}}]}"#)
        let compiled = counted.count
        for _ in 0..<3 { try start("x") }
        #expect(counted.count == compiled)
        // Only the row that changes is compiled again.
        _ = yard.put(#"{"id":"x","stream":[],"operators":[{"map":{"expression":"value + 10"}}]}"#)
        for id in ["x", "y"] { try start(id) }
        #expect(counted.count == compiled + 1)
    }

    @Test func `the library of a space is what its view shows`() throws {
        _ = yard.put(#"{"id":"B","stream":[]}"#)
        let library = try library()
        #expect(
            try "streams.definitions=" + String(decoding: library.json(), as: UTF8.self)
                == yard.get("streams.definitions"))
        #expect(try library.tree() == JSON(parsing: library.json()))
    }

    @Test func `a document that is given as a tree is kept like its text`() throws {
        let document: JSON = ["id": "x", "stream": [["value": 1]]]
        let call = Call(feature: "streams", action: "put", input: try document.json()).with(tree: document)
        // The action reads the tree: the text is for the journal alone.
        let other = Call(feature: "streams", action: "put", input: Array("{}".utf8)).with(tree: [
            "id": "y", "stream": [],
        ])
        for call in [call, other] { yard.store.perform(call, in: yard.space) { _ in } }
        yard.here.run()
        let library = try library()
        #expect(library["x"] == document)
        #expect(library["y"] == ["id": "y", "stream": []])
    }

    @Test func `a watch for trees delivers the values that its frames have as text`() throws {
        var trees: [JSON] = []
        let watch = yard.store.watchSources(of: yard.permit(["numbers.one", "streams.definitions"])) { news in
            for (_, frame) in (try? news.get()) ?? [] {
                guard let tree = try? frame.tree(), let value = try? frame.value.get(),
                    let text = try? JSON(parsing: value.bytes)
                else { continue }
                #expect(tree == text)
                trees.append(tree)
            }
        }
        yard.here.run()
        yard.post("numbers/set", #"{"one":2}"#)
        _ = yard.put(#"{"id":"x","stream":[]}"#)
        #expect(trees.count == 4 && trees.contains(1) && trees.contains(2))
        withExtendedLifetime(watch) {}
    }

    /// The formulas of these tests, with a count of the expressions that were compiled.
    private final class CountedFormulas: @unchecked Sendable {
        // Sendable because the tests have one thread.
        private(set) var count = 0

        var formulas: Formulas {
            Formulas { source, names throws(FormulaFault) in
                self.count += 1
                return try Formulas.byHeart.read(source, names)
            }
        }
    }
}
