import JSON
import Testing

@testable import Streams

/// The faults of invalid definitions and their places.
struct ValidationTests {
    private func faults(_ text: String) -> String {
        do {
            _ = try StreamDefinition(JSON(parsing: Array(text.utf8)), formulas: .byHeart)
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test(arguments: [
        ("[]", ": a definition must be an object, not an array"),
        (#"{"id":"x"}"#, #": either "stream", an array of items, or "source" must be there"#),
        (#"{"id":"x","stream":[],"source":{"ref":"a"}}"#, #"/source: only one of "stream" and "source" can be there"#),
        (#"{"id":7,"stream":[]}"#, "/id: an id must be a string, not a number"),
        (
            #"{"id":"x","name":1,"description":[],"stream":[]}"#,
            "/name: the name must be a string or null, not a number\n/description: the description must be a string or null, not an array"
        ),
        (
            #"{"id":"x","stream":[{"values":1}]}"#,
            "/stream/0/values: \"values\" is not known here\n/stream/0: the item has no \"value\"; null is allowed"
        ),
        (
            #"{"id":"x","stream":[{"value":1,"operators":[{"delay":{"seconds":-1}}]},{"value":1,"operators":[{"delay":{"seconds":3600.1}}]}]}"#,
            """
            /stream/0/operators/0/delay/seconds: "seconds" must be a number from 0 to 3600, not -1
            /stream/1/operators/0/delay/seconds: "seconds" must be a number from 0 to 3600, not 3600.1
            """
        ),
        (
            #"{"id":"x","source":{}}"#,
            "/source: a source is an object with one member, its form; it has 0"
        ),
        (
            #"{"id":"x","source":{"ref":"a","view":"b.c"}}"#,
            "/source: a source is an object with one member, its form; it has 2"
        ),
        (#"{"id":"x","source":{"concat":[]}}"#, #"/source/concat: there is no source "concat""#),
        (#"{"id":"x","source":{"merge":[]}}"#, "/source/merge: merge joins 1 to 64 sources, not 0"),
        (
            #"{"id":"x","source":{"merge":[{"ref":1},{"zip":2}]}}"#,
            "/source/merge/0/ref: a stream's id must be a string, not a number\n/source/merge/1/zip: the sources of zip must be an array, not a number"
        ),
        (
            #"{"id":"x","source":{"view":"total"}}"#,
            #"/source/view: a view is named by its feature and its own name, as in "cart.totalPrice""#
        ),
        (#"{"id":"x","stream":[],"operators":{}}"#, "/operators: operators must be an array, not an object"),
        (
            #"{"id":"x","stream":[],"operators":[{}]}"#,
            "/operators/0: an operator is an object with one member, its name; it has none"
        ),
        (
            #"{"id":"x","stream":[],"operators":[{"first":{},"last":{}}]}"#,
            #"/operators/0: an operator is an object with one member, its name; it has "first", "last": write them as operators of their own"#
        ),
        (
            #"{"id":"x","stream":[],"operators":[{"first":{"count":1}}]}"#,
            #"/operators/0/first/count: "count" is not known here: no members are allowed"#
        ),
        (
            #"{"id":"x","stream":[],"operators":[{"prefix":{"count":1,"while":"value"}}]}"#,
            #"/operators/0/prefix/while: "while" is not known here"#
        ),
        (
            #"{"id":"x","stream":[],"operators":[{"collect":{"count":0}},{"dropFirst":{"count":1.5}},{"retry":{"count":101}}]}"#,
            """
            /operators/0/collect/count: "count" must be a whole number from 1 to 10000, not 0
            /operators/1/dropFirst/count: "count" must be a whole number from 0 to 1000000, not 1.5
            /operators/2/retry/count: "count" must be a whole number from 0 to 100, not 101
            """
        ),
        (
            #"{"id":"x","stream":[],"operators":[{"collect":{"seconds":0}},{"throttle":{"seconds":1,"latest":"yes"}}]}"#,
            """
            /operators/0/collect/seconds: "seconds" must be a number from 0.001 to 3600, not 0
            /operators/1/throttle/latest: "latest" must be true or false, not "yes"
            """
        ),
        (
            #"{"id":"x","stream":[],"operators":[{"map":{"expression":"nonsense"}}]}"#,
            #"/operators/0/map/expression: the expression cannot be read: "nonsense" is not known by heart (character 1)"#
        ),
        (
            #"{"id":"x","stream":[],"operators":[{"map":{"expression":"outer + value"}}]}"#,
            #"/operators/0/map/expression: the expression cannot be read: ["outer", "value"] are not all among ["value"] (character 3)"#
        ),
        (
            #"{"id":"x","stream":[],"operators":[{"flatMap":{"source":{"stream":[],"operators":[{"filter":{}}]}}}]}"#,
            #"/operators/0/flatMap/source/operators/0/filter/expression: filter needs "expression""#
        ),
    ])
    func `each fault has its place and its words: Law STREAM2`(definition: String, words: String) {
        #expect(faults(definition) == words)
    }

    @Test func `what goes beyond a limit is refused: Law STREAM2`() {
        func many(_ count: Int, _ text: String) -> String {
            Array(repeating: text, count: count).joined(separator: ",")
        }
        #expect(
            faults(#"{"id":"x","stream":[],"operators":[\#(many(65, #"{"first":{}}"#))]}"#).hasPrefix(
                "/operators: there can be 64"))
        #expect(
            faults(#"{"id":"x","stream":[\#(many(1_001, #"{"value":1}"#))]}"#).hasPrefix(
                "/stream: a stream has 1000 items"))
        #expect(
            faults(#"{"id":"x","source":{"merge":[\#(many(65, #"{"ref":"a"}"#))]}}"#).hasPrefix(
                "/source/merge: merge joins 1 to 64"))
        let deep = String(repeating: #"{"merge":["#, count: 17) + #"{"ref":"a"}"# + String(repeating: "]}", count: 17)
        #expect(faults(#"{"id":"x","source":\#(deep)}"#).contains("more than 16 deep"))
        let long = String(repeating: "x", count: 70_000)
        #expect(faults(#"{"id":"x","stream":[{"value":"\#(long)"}]}"#) == ": the document is longer than 65536 bytes")
    }

    @Test func `a fault says what is allowed: Law STREAM2`() throws {
        do {
            _ = try StreamDefinition(["id": "x", "stream": [], "operators": [["fold": [:]]]], formulas: .byHeart)
            Issue.record("it was taken")
        } catch {
            #expect(error.all.first?.allowed == OperatorCatalog.all.names)
        }
    }

    @Test(arguments: ["a", "0", "9F0C1C3E-5C2A-4A53-9C53-0A2C6C1A7D11", "a.b-c_d", String(repeating: "x", count: 128)])
    func `ids that can be: Law STREAM2`(id: String) {
        #expect(faults(#"{"id":"\#(id)","stream":[]}"#) == "")
    }

    @Test(arguments: ["", ".a", "-a", "a b", "ä", "a/b", String(repeating: "x", count: 129)])
    func `ids that cannot be: Law STREAM2`(id: String) {
        #expect(faults(#"{"id":"\#(id)","stream":[]}"#).hasPrefix("/id: the id must be"))
    }

    @Test func `the schema names each operator with what it is given, and no other: Law STREAM15`() {
        let schema = DefinitionSchema.components["StreamOperator"]
        guard case .object(let operators)? = schema?["properties"] else {
            Issue.record("there is no list of operators")
            return
        }
        #expect(operators.map(\.key) == OperatorCatalog.all.names)
        #expect(schema?["minProperties"] == 1 && schema?["maxProperties"] == 1)
        for (name, parameters) in operators.map({ ($0.key, $0.value) }) {
            let forms = OperatorCatalog.all[name]
            var members: [String] = []
            if case .object(let properties)? = parameters["properties"] { members = properties.map(\.key) }
            #expect(members == forms.flatMap(\.parameters).map(\.name), "\(name)")
            // An object of so many members is one of the forms and nothing else, since no form has two where there are several.
            guard forms.count > 1 else { continue }
            let counts = forms.map(\.parameters.count)
            #expect(counts.allSatisfy { $0 <= 1 }, "\(name)")
            #expect(parameters["minProperties"] == .number(Decimal(counts.contains(0) ? 0 : 1)), "\(name)")
            #expect(parameters["maxProperties"] == 1, "\(name)")
        }
    }

    @Test func `the schema has no alternatives, which generators of clients cannot follow: Law STREAM15`() {
        for component in DefinitionSchema.components {
            let text = component.value.description
            #expect(!text.contains("oneOf") && !text.contains("allOf"), "\(component.key)")
        }
    }
}
