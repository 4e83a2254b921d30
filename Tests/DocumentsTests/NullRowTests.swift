import Hosting
import JSON
import StateStore
import Testing

@testable import Documents

/// Law DOC10: null is no row, and a value as any other elsewhere.
@Suite struct NullRowTests {
    private static func document(row: String, initial: String = "{}") -> String {
        """
        {"feature": "b", "home": "space",
         "types": {"Maybe": {"type": ["string", "null"]}, "Card": {"$ref": "#/types/Maybe"}},
         "state": {"rows": {"table": {"key": {"type": "string"}, "row": \(row)}, "initial": \(initial)},
           "one": {"value": {"type": ["string", "null"]}, "initial": "a"},
           "list": {"value": {"type": "array", "items": {"type": ["integer", "null"]}}, "initial": [1]}},
         "actions": {
           "put": {"input": {"type": "object", "properties": {"row": {}}}, "do": [{"put": "rows", "key": "'a'", "row": "input.row"}]},
           "set": {"do": [{"set": "one", "to": "null"}, {"set": "list", "to": "[1, null, 2]"}]}},
         "views": {"rows": {"from": "rows"}, "one": {"expression": "state.one"}, "list": {"expression": "state.list"}}}
        """
    }

    @Test(arguments: [
        #"{"type": ["object", "null"]}"#, #"{"type": "null"}"#, #"{"enum": ["a", null]}"#, #"{"const": null}"#,
        ##"{"$ref": "#/types/Card"}"##,
    ])
    func `a table whose schema names null is refused at its rows`(_ row: String) throws {
        let results = FeatureCompiler().compile(["b": try parse(Self.document(row: row))], beside: [:])
        let description = try #require(try results["b"]?.get())
        #expect(description.faultsWhenPut.map { "\($0.pointer)" } == ["/state/rows/table/row"])
    }

    @Test func `the fault of null rows comes with all others`() throws {
        let text = Self.document(row: #"{"type": ["object", "null"]}"#)
            .replacing(#""expression": "state.one""#, with: #""expression": "state.on""#)
        let found = faults(try parse(text)).map { String($0.prefix { $0 != ":" }) }
        #expect(found == ["/views/one/expression", "/state/rows/table/row"])
    }

    @Test(arguments: ["{}", #"{"type": ["object", "null"]}"#, #"{"enum": [null, "a"]}"#])
    func `an action cannot write null as a row, also under a document from before`(_ row: String) throws {
        let server = try DocumentServer(try parse(Self.document(row: row)))
        let rejection = server.refusal("b/put", ["row": .null])
        #expect(rejection?.kind == .invalid)
        #expect(rejection?.pointer == JSONPointer(["rows", "*"]))
        #expect(rejection?.description.contains("a row cannot be null") == true)
        #expect(try server.view("b.rows") == [])
    }

    @Test func `an initial row cannot be null`() throws {
        let found = faults(try parse(Self.document(row: "{}", initial: #"{"a": null, "b": 1}"#)))
        #expect(found.map { String($0.prefix { $0 != ":" }) } == ["/state/rows/initial/a"])
    }

    @Test func `null stays a value of a variable and of a list`() throws {
        let server = try DocumentServer(try parse(Self.document(row: "{}")))
        try server.act("b/set")
        #expect(try server.view("b.one") == .null)
        #expect(try server.view("b.list") == [1, .null, 2])
    }

    @Test func `null may leave the schema of a table without a migration`() throws {
        let old = try compile(["b": try parse(Self.document(row: #"{"type": ["string", "null"]}"#))])
        let new = try compile(["b": try parse(Self.document(row: #"{"type": "string"}"#))])
        let (before, after) = (try #require(old["b"]), try #require(new["b"]))
        #expect(after.faults(after: before) == [])
        let number = try compile(["b": try parse(Self.document(row: #"{"type": "integer"}"#))])
        #expect(try #require(number["b"]).faults(after: before).count == 1)
    }
}
