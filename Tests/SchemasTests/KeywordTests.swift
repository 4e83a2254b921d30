import JSON
import Schemas
import Testing

/// Law SCHEMA1: a value satisfies a schema exactly if JSON Schema says so, except for closed objects. The cases are those of
/// the public suite, in short form.
struct KeywordTests {
    /// A schema, values that satisfy it, and values that do not; each as JSON.
    struct Case: CustomTestStringConvertible {
        let schema: String
        let valid: String
        let invalid: String

        init(_ schema: String, _ valid: String, _ invalid: String) {
            (self.schema, self.valid, self.invalid) = (schema, valid, invalid)
        }

        var testDescription: String { schema }
    }

    private static let types = [
        Case(
            #"{"type": "integer"}"#, "[1, 1.0, -5, 9223372036854775807]", #"[1.1, "1", "a", {}, [], true, null, 1e300]"#
        ),
        Case(#"{"type": "number"}"#, "[1, 1.0, 1.1, 1e300]", #"["1", "a", {}, [], true, null]"#),
        Case(#"{"type": "string"}"#, #"["a", "1", ""]"#, "[1, 1.1, {}, [], true, null]"),
        Case(#"{"type": "object"}"#, #"[{}, {"a": 1}]"#, #"[1, 1.1, "a", [], true, null]"#),
        Case(#"{"type": "array"}"#, "[[], [1]]", #"[1, 1.1, "a", {}, true, null]"#),
        Case(#"{"type": "boolean"}"#, "[true, false]", #"[1, 0, 1.1, "a", "", {}, [], null]"#),
        Case(#"{"type": "null"}"#, "[null]", #"[1, 0, 1.1, "a", "", {}, [], true, false]"#),
        Case(#"{"type": ["integer", "string"]}"#, #"[1, "a"]"#, "[1.1, {}, [], true, null]"),
        Case(#"{"type": ["array", "object", "null"]}"#, "[[1], {}, null]", #"[1, "a", true]"#),
        Case("{}", #"[1, "a", null, {}, []]"#, "[]"),
    ]

    private static let choices = [
        Case(#"{"enum": [1, 2, 3]}"#, "[1, 1.0]", #"[4, "1"]"#),
        Case(
            #"{"enum": [6, "a", [], true, {"a": 12}]}"#, #"[[], {"a": 12}, "a"]"#,
            #"[null, {"a": false}, {"a": 12, "b": 42}]"#),
        Case(#"{"enum": [false]}"#, "[false]", "[0, 0.0]"), Case(#"{"enum": [[true]]}"#, "[[true]]", "[[1], [1.0]]"),
        Case(#"{"enum": [[0]]}"#, "[[0], [0.0]]", "[[false]]"), Case(#"{"enum": ["a\nb"]}"#, #"["a\nb"]"#, #"["ab"]"#),
        Case(#"{"enum": ["a\u0000b"]}"#, #"["a\u0000b"]"#, #"["ab"]"#),
        Case(#"{"const": 2}"#, "[2, 2.0]", #"[5, "a"]"#), Case(#"{"const": null}"#, "[null]", "[0]"),
        Case(#"{"const": {"a": 1, "b": 2}}"#, #"[{"b": 2, "a": 1}]"#, #"[{"a": 1}, [1, 2]]"#),
        Case(#"{"const": [{"a": 1}]}"#, #"[[{"a": 1}]]"#, "[[2], [1, 2, 3]]"),
        Case(#"{"const": true}"#, "[true]", "[1]"),
        Case(#"{"const": {"a": false}}"#, #"[{"a": false}]"#, #"[{"a": 0}]"#),
        Case(#"{"const": -2.0}"#, "[-2]", "[2, -2.00001]"),
        Case(#"{"const": "\u00e9"}"#, #"["\u00e9"]"#, #"["e\u0301"]"#),
        Case(#"{"const": 9007199254740992}"#, "[9007199254740992]", "[9007199254740991]"),
    ]

    private static let numbers = [
        Case(#"{"minimum": 1.1}"#, #"[2.6, 1.1, "x"]"#, "[0.6]"),
        Case(#"{"minimum": -2}"#, "[-1, 0, -2, -2.0]", "[-2.0001, -3]"),
        Case(#"{"maximum": 3.0}"#, #"[2.6, 3, "x"]"#, "[3.5]"),
        Case(#"{"maximum": 300}"#, "[299.97, 300.00]", "[300.5]"),
        Case(#"{"exclusiveMinimum": 1.1}"#, #"[1.2, "x"]"#, "[1.1, 0.6]"),
        Case(#"{"exclusiveMaximum": 3.0}"#, #"[2.2, "x"]"#, "[3.0, 3.5]"),
        Case(#"{"exclusiveMaximum": 972783798187987100000000000}"#, "[1]", "[972783798187987100000000000]"),
        Case(#"{"multipleOf": 2}"#, #"[10, 0, "x"]"#, "[7]"), Case(#"{"multipleOf": 1.5}"#, "[0, 4.5, -4.5]", "[35]"),
        Case(#"{"multipleOf": 0.0001}"#, "[0.0075]", "[0.00751]"),
        Case(#"{"multipleOf": 0.01}"#, "[19.99, 4.35, 1e20]", "[0.001]"),
        Case(#"{"type": "number", "multipleOf": 0.123456789}"#, "[0.246913578]", "[1e308]"),
        Case(#"{"type": "integer", "multipleOf": 1e-8}"#, "[12391239123]", "[]"),
    ]

    private static let texts = [
        Case(#"{"minLength": 2}"#, #"["foo", "fo", 1]"#, #"["f", "💩"]"#),
        Case(#"{"maxLength": 2}"#, #"["f", "fo", 100, "💩💩"]"#, #"["foo"]"#),
        Case(#"{"pattern": "^a*$"}"#, #"["aaa", "", true, 123, {}, [], null]"#, #"["abc"]"#),
        Case(#"{"pattern": "a+"}"#, #"["xxaayy"]"#, #"["xyz"]"#),
        Case(#"{"pattern": "\\p{L}ó"}"#, #"["só"]"#, #"["so"]"#),
        Case(
            #"{"format": "date-time"}"#,
            #"["1963-06-19T08:30:06.283185Z", "1937-01-01T12:00:27.87+00:20", "1985-04-12T00:59:59.999999999999999Z", 12, null]"#,
            #"["1990-02-31T15:59:59Z", "1990-12-31T15:59:59-24:00", "1963-06-19T08:30:06+01:00Z", "1990-12-31T24:00:00Z", "1990-12-31T10:00:00+10:60", "2013-350T01:01:01", "1963-6-19T08:30:06Z", "1963-06-1৪T00:00:00Z", "1985-04-12T23:20:50+01", "1985-04-12T23:20:50Z\n"]"#
        ),
        // As `timestamp()` in formulas, the format refuses leap seconds and small letters.
        Case(#"{"format": "date-time"}"#, "[]", #"["1998-12-31T23:59:60Z", "1963-06-19t08:30:06z"]"#),
        Case(
            #"{"format": "date"}"#, #"["1963-06-19", "2020-02-29", "0400-02-29", "0001-01-01", 12]"#,
            #"["2021-02-29", "2100-02-29", "2020-01-32", "2020-04-31", "06/19/1963", "1998-1-20", "1998-13-01", "2024-00-15", "20230328", " 2024-01-1", "2020-01-01Z", "12020-01-01", "-2020-01-0", "২8020-01-01", "2020–01–01", "2020-01-0:", ""]"#
        ),
        Case(
            #"{"format": "uuid"}"#,
            #"["2EB8AA08-AA98-11EA-B4AA-73B441D16380", "00000000-0000-0000-0000-000000000000", 12]"#,
            #"["2eb8aa08-aa98-11ea-b4aa-73b441d1638", "2eb8aa08-aa98-11ea-b4ga-73b441d16380", "2eb8aa08aa9811eab4aa73b441d16380----", "2eb8aa0-8aa98-11e-ab4aa7-3b441d16380", "2eb8aa08-aa98-11ea-b4aa-73b441d16380-", "2eb8aa08-aa98-11ea-b4aa-73b441d1_380"]"#
        ),
    ]

    private static let lists = [
        Case(#"{"items": {"type": "integer"}}"#, #"[[1, 2], [], {"0": "x"}]"#, #"[[1, "x"]]"#),
        Case(#"{"items": {"items": {"type": "number"}}}"#, "[[[1], [2]], [1]]", #"[[["1"]]]"#),
        Case(#"{"items": {"type": "null"}}"#, "[[null]]", "[[1]]"),
        Case(#"{"minItems": 1}"#, #"[[1, 2], [1], ""]"#, "[[]]"),
        Case(#"{"maxItems": 2}"#, #"[[1], [1, 2], "foobar"]"#, "[[1, 2, 3]]"),
        Case(
            #"{"uniqueItems": true}"#,
            #"[[1, 2], [0, false], [[1], [true]], [{"a": 1}, {"a": 2}], [{}, [1], true, null, 1, "{}"], []]"#,
            #"[[1, 1], [1.0, 1], ["a", "b", "a"], [{"a": 1, "b": 2}, {"b": 2, "a": 1}], [["a"], ["a"]], [{}, null, {}]]"#
        ),
        Case(#"{"uniqueItems": false}"#, "[[1, 1]]", "[]"),
    ]

    private static let objects = [
        Case(
            #"{"properties": {"a": {"type": "integer"}, "b": {"type": "string"}}}"#,
            #"[{"a": 1, "b": "x"}, {}, [], 12]"#,
            #"[{"a": 1, "b": {}}, {"a": [], "b": {}}]"#),
        Case(
            #"{"properties": {"a\nb": {"type": "number"}, "a\"b": {"type": "number"}, "a\\b": {"type": "number"}}}"#,
            #"[{"a\nb": 1, "a\"b": 1, "a\\b": 1}]"#, #"[{"a\nb": "1"}, {"a\"b": "1"}, {"a\\b": "1"}]"#),
        Case(
            #"{"properties": {"__proto__": {"type": "number"}, "constructor": {"type": "number"}}}"#,
            #"[{}, {"__proto__": 12}]"#, #"[{"__proto__": "x"}, {"constructor": {}}]"#),
        Case(#"{"required": ["a"]}"#, #"[{"a": 1}, {"a": null}, [], "", 12]"#, #"[{"b": 1}, {}]"#),
        Case(#"{"required": []}"#, "[{}]", "[]"), Case(#"{"required": ["a\nb"]}"#, #"[{"a\nb": 1}]"#, "[{}]"),
        Case(#"{"required": ["__proto__"]}"#, #"[{"__proto__": 1}]"#, #"[{}]"#),
        // The one deviation: closed without `additionalProperties`.
        Case(#"{"properties": {"a": {}}}"#, #"[{"a": 1}]"#, #"[{"b": 1}]"#),
        Case(#"{"properties": {}}"#, "[{}]", #"[{"b": 1}]"#),
        Case(#"{"properties": {"a": {}}, "additionalProperties": true}"#, #"[{"a": 1}, {"b": 1}]"#, "[]"),
        Case(
            #"{"properties": {"a": {}}, "additionalProperties": false}"#, #"[{"a": 1}, [1], "x"]"#,
            #"[{"a": 1, "q": 2}]"#),
        Case(
            #"{"properties": {"a": {}}, "additionalProperties": {"type": "boolean"}}"#,
            #"[{"a": 1}, {"a": 1, "q": true}]"#,
            #"[{"a": 1, "q": 12}]"#),
        Case(#"{"additionalProperties": {"type": "boolean"}}"#, #"[{"a": true}]"#, #"[{"a": 1}]"#),
        Case(#"{"additionalProperties": {"type": "null"}}"#, #"[{"a": null}]"#, #"[{"a": 1}]"#),
        Case(#"{"additionalProperties": false}"#, "[{}]", #"[{"a": 1}]"#),
    ]

    @Test(arguments: types + choices + numbers + texts + lists + objects)
    func `a value satisfies a schema`(_ example: Case) throws {
        let schema = try schema(parse(example.schema))
        guard case .array(let valid) = try parse(example.valid), case .array(let invalid) = try parse(example.invalid)
        else {
            Issue.record("no lists of values")
            return
        }
        for value in valid { #expect(schema.fault(in: value) == nil, "\(value)") }
        for value in invalid { #expect(schema.fault(in: value) != nil, "\(value)") }
    }

    @Test func `a named type holds besides the keywords around it`() throws {
        let types: JSON.Object = {
            guard
                case .object(let object) = [
                    "Name": ["type": "string", "minLength": 2], "a/b~c": ["type": "integer"],
                    "Pair": ["type": "array", "items": ["$ref": "#/types/Name"]],
                ] as JSON
            else { return JSON.Object() }
            return object
        }()
        let pair = try schema(["$ref": "#/types/Pair", "maxItems": 2], types: types)
        #expect(pair.fault(in: ["ab", "cd"]) == nil)
        #expect(pair.fault(in: ["a"])?.pointer.description == "/0")
        #expect(pair.fault(in: ["ab", "cd", "ef"]) != nil)
        #expect(try schema(["$ref": "#/types/a~1b~0c"], types: types).fault(in: "x") != nil)
        #expect(try schema(["properties": ["$ref": ["type": "string"]]]).fault(in: ["$ref": "x"]) == nil)
    }

    @Test(arguments: [
        (#"{"type": "integer"}"#, #""x""#, ": expected an integer, found a string"),
        (#"{"type": ["integer", "null"]}"#, "1.5", ": expected an integer, found a number with a fraction"),
        (#"{"type": "integer"}"#, "1e30", ": the number does not fit 64 bits"),
        (
            #"{"properties": {"votes": {}}}"#, #"{"vots": 1}"#,
            #"/vots: the member "vots" is unknown; did you mean votes?"#
        ),
        (#"{"required": ["id"]}"#, "{}", #"/id: the member "id" is missing"#),
        (
            #"{"properties": {"a": {"items": {"maximum": 5, "minimum": 1}}}}"#, #"{"a": [1, 6]}"#,
            "/a/1: the value must be from 1 to 5"
        ),
        (#"{"minLength": 1, "maxLength": 3}"#, #""""#, ": the value must have 1 to 3 characters, not 0"),
        (#"{"enum": ["open", "closed"]}"#, #""opne""#, ": the value must be one of open, closed; did you mean open?"),
        (#"{"format": "date"}"#, #""x""#, ": the value must be a date such as 2026-05-04"),
        (#"{"pattern": "^a$"}"#, #""x""#, ": the value must match the pattern ^a$"),
        (#"{"uniqueItems": true}"#, "[1, 1]", "/1: the element is in the list twice"),
        (#"{"multipleOf": 0.01}"#, "0.005", ": the value must be a multiple of 0.01"),
        (#"{"properties": {"a/b": {"const": 1}}}"#, #"{"a/b": 2}"#, "/a~1b: the value must be 1"),
    ])
    func `the first fault has its place and words`(_ source: String, _ value: String, _ words: String) throws {
        let fault = try schema(parse(source)).fault(in: parse(value))
        #expect(fault.map { "\($0.pointer): \($0.description)" } == words)
    }

    @Test func `a pattern on a huge text ends`() throws {
        let schema = try schema(["pattern": "(x+x+)+y"])
        let text = String(repeating: "x", count: 1_000_000)
        #expect(schema.fault(in: .string(text))?.description.contains("too long to be compared") == true)
    }
}
