import Expressions
import JSON
import Schemas
import Testing

/// Law SCHEMA2: a faulty schema is refused with all its faults.
struct SchemaTests {
    @Test(arguments: [
        ("[]", [#": a schema is an object such as {"type": "string"}, not array"#]),
        (#"{"minlength": 1}"#, [#"/minlength: there is no keyword "minlength"; did you mean minLength?"#]),
        (#"{"allOf": []}"#, [#"/allOf: there is no keyword "allOf""#]),
        (#"{"type": "strin"}"#, [#"/type: there is no type "strin"; did you mean string?"#]),
        (
            #"{"type": ["string", "string", 3]}"#,
            ["/type/1: the type string is in the list twice", "/type/2: type takes a type or a list of types"]
        ),
        (#"{"type": []}"#, ["/type: type takes a type or a list of types"]),
        (
            #"{"properties": {"a": {"type": "x"}, "b": 1}, "required": "a"}"#,
            [
                #"/properties/a/type: there is no type "x""#,
                #"/properties/b: a schema is an object such as {"type": "string"}, not number"#,
                "/required: required takes a list of member names",
            ]
        ),
        (
            #"{"properties": {"votes": {}}, "required": ["vots"]}"#,
            [#"/required/0: the required member "vots" is not in properties; did you mean votes?"#]
        ),
        (
            #"{"minLength": -1, "maxItems": 1.5, "minimum": "1", "multipleOf": 0, "uniqueItems": 1}"#,
            [
                "/minLength: minLength takes a whole number of 0 or more",
                "/maxItems: maxItems takes a whole number of 0 or more", "/minimum: minimum takes a number",
                "/multipleOf: multipleOf takes a number greater than 0",
                "/uniqueItems: uniqueItems takes true or false",
            ]
        ),
        (#"{"pattern": "("}"#, ["/pattern: "]), (#"{"enum": []}"#, ["/enum: enum takes a list of one or more values"]),
        (
            #"{"type": "string", "format": "datetime"}"#,
            [#"/format: there is no format "datetime"; did you mean date-time?"#]
        ),
        (#"{"type": "string", "format": "decimal"}"#, ["/format: the format decimal needs the type number or integer"]),
        (#"{"type": "integer", "format": "date"}"#, ["/format: the format needs the type string"]),
        (##"{"$ref": "#/types/Car"}"##, [#"/$ref: there is no type "Car"; did you mean Card?"#]),
        (#"{"$ref": "Card"}"#, ["/$ref: $ref takes the place of a named type, as #/types/Card"]),
        (
            #"{"type": "integer", "default": "x"}"#,
            ["/default: the default does not satisfy its schema: expected an integer, found a string"]
        ),
        (
            #"{"properties": {"a": {"items": {"properties": {"b": {"maximum": 3, "default": 5}}}}}}"#,
            [
                "/properties/a/items/properties/b/default: the default does not satisfy its schema: the value must be 3 or less"
            ]
        ),
    ])
    func `all faults of a schema are listed`(_ source: String, _ expected: [String]) throws {
        let found = faults(try parse(source), types: try object(#"{"Card": {"type": "object"}}"#))
        #expect(found.count == expected.count)
        for (one, other) in zip(found, expected) { #expect(one.hasPrefix(other)) }
    }

    @Test func `a type that contains itself is refused`() throws {
        let direct = faults(true, types: try object(##"{"A": {"$ref": "#/types/A"}}"##))
        #expect(direct.first == "/types/A/$ref: the type A contains itself; write {} where any value may be")
        let far = faults(
            ["$ref": "#/types/A"],
            types: try object(
                ##"{"A": {"items": {"$ref": "#/types/B"}}, "B": {"properties": {"a": {"$ref": "#/types/A"}}}}"##))
        #expect(far.contains { $0.contains("contains itself") })
    }

    /// Types that refer to each other twice would double with each level.
    @Test func `the size of a schema with its types is bounded`() throws {
        var text = #""T0": {"type": "integer"}"#
        for place in 1...30 {
            text +=
                ##", "T\##(place)": {"properties": {"a": {"$ref": "#/types/T\##(place - 1)"}, "b": {"$ref": "#/types/T\##(place - 1)"}}}"##
        }
        let found = faults(["$ref": "#/types/T30"], types: try object("{\(text)}"))
        #expect(found.contains { $0.contains("more than 4096 parts") })
        var deep: JSON = ["type": "integer"]
        for _ in 0..<40 { deep = ["items": deep] }
        #expect(faults(deep).first?.contains("nested more than 32 deep") == true)
        let wide = JSON.array((0..<200).map { .string("k\($0)") })
        #expect(faults(["type": wide]).count == SchemaLimits.faults)
    }

    @Test func `missing members get their defaults`() throws {
        let types = try object(
            #"{"Card": {"type": "object", "properties": {"text": {"type": "string"}, "votes": {"type": "integer", "default": 0}}, "default": {}}}"#
        )
        let schema = try schema(
            parse(
                ##"{"type": "object", "properties": {"card": {"$ref": "#/types/Card"}, "cards": {"type": "array", "items": {"$ref": "#/types/Card"}}, "due": {"type": ["string", "null"], "default": null}}, "additionalProperties": {"properties": {"x": {"default": 1}}}}"##
            ), types: types)
        #expect(
            try schema.filled(parse(#"{"cards": [{"text": "a"}], "more": {}}"#))
                == parse(
                    #"{"card": {"votes": 0}, "cards": [{"text": "a", "votes": 0}], "due": null, "more": {"x": 1}}"#))
        #expect(schema.filled("x") == "x")
    }

    @Test(arguments: [
        (#"{"type": "integer"}"#, "int"), (#"{"type": "number"}"#, "double"),
        (#"{"type": ["integer", "number"]}"#, "double"),
        (#"{"type": "number", "format": "decimal"}"#, "decimal"), (#"{"type": ["string", "null"]}"#, "string or null"),
        (#"{"type": ["string", "integer"]}"#, "dyn"), (#"{"type": "object"}"#, "map<string, dyn>"), ("{}", "dyn"),
        (#"{"type": "array", "items": {"type": "boolean"}}"#, "list<bool>"),
        (#"{"enum": ["a", "b", null]}"#, "string or null"),
        (#"{"type": "object", "additionalProperties": {"type": "integer"}}"#, "map<string, int>"),
        (
            #"{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer", "default": 0}, "c": {"type": "null"}}, "required": ["a"]}"#,
            "{a: string, b: int, c?: null}"
        ),
        (##"{"$ref": "#/types/Card"}"##, "{id: string}"), (##"{"const": 1.5}"##, "double"),
        (##"{"type": "null"}"##, "null"),
        (#"{"type": "string", "format": "date-time"}"#, "string"),
    ])
    func `a schema has a type`(_ source: String, _ type: String) throws {
        let types = try object(
            #"{"Card": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}}"#)
        #expect(try schema(parse(source), types: types).type.description == type)
    }

    @Test(arguments: [
        (#"{"name": "SECRET"}"#, "/name: the value must have 1 to 3 characters"),
        (#"{"SECRET": 1}"#, "/*: a member is unknown"),
        (#"{"list": [1, 2, 3]}"#, "/list: the list must have 2 or fewer elements"),
        (#"{"list": [1, "SECRET"]}"#, "/list/*: expected an integer, found a string"),
        (#"{"map": {"SECRET": {"size": "SECRET"}}}"#, "/map/*/size: expected an integer, found a string"),
        (#"{"map": {"SECRET": {"SECRET": 1}}}"#, "/map/*/*: a member is unknown"),
        (#"{"kind": "SECRETS"}"#, "/kind: the value must be one of SECRET-1, b"),
        (#"{"map": {"a": {}}}"#, "/map/*/size: the member \"size\" is missing"),
    ])
    func `the fault of a computed value shows no part of it`(_ value: String, _ fault: String) throws {
        let schema = try schema(
            parse(
                #"""
                {"type": "object", "properties": {
                  "name": {"type": "string", "minLength": 1, "maxLength": 3},
                  "list": {"type": "array", "maxItems": 2, "items": {"type": "integer"}},
                  "kind": {"enum": ["SECRET-1", "b"]},
                  "map": {"type": "object", "additionalProperties": {"type": "object", "properties": {
                    "size": {"type": "integer"}}, "required": ["size"]}}}}
                """#))
        let found = try #require(schema.computedFault(in: parse(value)))
        #expect("\(found.pointer): \(found.description)" == fault)
    }

    @Test func `private parts are listed and withheld`() throws {
        let schema = try schema(
            parse(
                ##"{"type": "object", "properties": {"name": {"type": "string"}, "mail": {"type": "string", "private": true}, "cards": {"type": "array", "items": {"$ref": "#/types/Card"}}}}"##
            ), types: object(#"{"Card": {"properties": {"pin": {"type": "string", "private": true}}}}"#))
        #expect(schema.privatePlaces.map(\.description) == ["/mail", "/cards/*/pin"])
        #expect(schema.hasPrivateParts)
        let (value, withheld) = schema.withholding(
            try parse(#"{"name": "a", "mail": "m", "cards": [{"pin": "1"}, {}]}"#))
        #expect(value == (try parse(#"{"name": "a", "mail": null, "cards": [{"pin": null}, {}]}"#)))
        #expect(withheld.map(\.description) == ["/mail", "/cards/0/pin"])
    }

    private func object(_ text: String) throws -> JSON.Object {
        guard case .object(let object) = try parse(text) else { return JSON.Object() }
        return object
    }

    /// Law SCHEMA2: what a schema adds to a value is bounded.
    @Test func `defaults that put too many values in place of one are refused`() throws {
        // A chain of types is short, and its default doubles with each.
        var types = JSON.Object()
        types["T0"] = try parse(#"{"type": "object"}"#)
        for level in 1...24 {
            types["T\(level)"] = try parse(
                """
                {"properties": {"a": {"type": "array", "items": {"$ref": "#/types/T\(level - 1)"}, "default": [{}, {}]}}}
                """)
        }
        let found = faults(try parse(##"{"$ref": "#/types/T24"}"##), types: types)
        #expect(found.contains { $0.contains("put more than 65536 values in place of one") }, "\(found)")
        #expect(faults(try parse(#"{"properties": {"a": {"items": {}, "default": [1, 2]}}}"#)).isEmpty)
    }

    @Test func `a private member of a named type is listed once`() throws {
        let types = try object(#"{"User": {"properties": {"mail": {"type": "string", "private": true}}}}"#)
        let schema = try schema(
            parse(##"{"$ref": "#/types/User", "properties": {"mail": {"private": true}}}"##), types: types)
        #expect(schema.privatePlaces.map(\.description) == ["/mail"])
        #expect(schema.withholding(["mail": "a"]).withheld.map(\.description) == ["/mail"])
    }
}
