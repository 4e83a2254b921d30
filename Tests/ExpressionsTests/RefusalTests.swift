import JSON
import Testing

@testable import Expressions

/// Law F1: an invalid formula is rejected at definition, with a description and a position.
struct RefusalTests {
    @Test(arguments: [
        ("value +", 7, "expected a value, found the end"),
        ("value value", 6, "expected an operator or the end, found 'value'"),
        ("(1", 2, "expected ')', found the end"),
        ("[1 2]", 3, "expected ',' or ']', found a number"),
        ("{1}", 2, "expected ':', found '}'"),
        ("1 = 2", 2, "unexpected character '='"),
        ("'abc", 0, "the text that begins here is not closed; end it with a quote of the same kind"),
        ("'a\\q'", 2, "unknown escape \\q; write \\\\ for a backslash, or r'…' for a text without escapes"),
        ("valeu + 1", 0, "unknown name 'valeu'; the declared names are value"),
        ("1 + other.price", 4, "unknown name 'other'; the declared names are value"),
        ("sise(value)", 0, "unknown function 'sise'"),
        ("value.sise()", 6, "unknown method 'sise'"),
        ("size()", 0, "size takes 1 arguments, not 0"),
        ("'a'.replace('b')", 4, "replace takes 2 or 3 arguments, not 1"),
        ("startsWith('a', 'b')", 0, "startsWith is a method; write value.startsWith(…)"),
        ("value.int()", 6, "int is not a method; write int(value)"),
        ("value.map(x)", 6, "map is written as in value.map(x, x * 2)"),
        ("value.map(1, 2)", 10, "expected the name of a variable, as x in value.map(x, x * 2)"),
        ("value.all(a, a, true)", 13, "the two variables have the same name 'a'"),
        ("has(value)", 0, "has() takes a member, as in has(value.name)"),
        ("value.matches('a(')", 6, "invalid pattern: unclosed (; write \\( for the character"),
        ("while + 1", 0, "'while' is a reserved word of CEL and cannot be a name"),
        ("9223372036854775808", 0, "this number is beyond the range of an int; write it with a u to make it a uint"),
        ("1e999", 0, "this number is beyond the range of a double"),
        ("'é' + 😀", 6, "unexpected character '😀'"),
        ("value.in", 6, "expected the name of a member, found 'in'"),
        ("a ? b ? c : d : e", 6, "expected ':', found '?'"),
        ("1 < 2 +", 7, "expected a value, found the end"),
        ("", 0, "expected a value, found the end"),
    ])
    func `a fault has a description and a position`(_ source: String, _ offset: Int, _ description: String) throws {
        let found = try #require(fault(source))
        #expect(found.description == description)
        #expect(found.offset == offset)
    }

    @Test func `the number of values must equal the number of names`() throws {
        let expression = try Expression("a + b", names: ["a", "b"])
        #expect(try expression.evaluate([1, 2]) == 3)
        #expect(throws: EvaluationFailure("1 values were given for 2 names")) { try expression.evaluate([1]) }
        #expect(throws: EvaluationFailure("1 value was given for 2 names")) { try expression.evaluate(1 as JSON) }
        let other = try Expression("a", names: ["a"])
        #expect(throws: EvaluationFailure("2 values were given for 1 names")) { try other.evaluate(1, 2) }
    }

    @Test func `each failure describes its remedy`() {
        #expect(
            outcome("value.price", ["value": ["prize": 1]]) == "the map has no member 'price'; test for it with has()")
        #expect(outcome("value.price", ["value": nil]) == "cannot read member 'price' of null")
        #expect(outcome("value[3]", ["value": [1]]) == "index 3 is out of range for the list; indices start at 0")
        #expect(outcome("value['a']", ["value": [:]]) == "the map has no key 'a'; test for it with the operator in")
        #expect(outcome("value + 1", ["value": "a"]) == "+ is not defined for string and int")
        #expect(outcome("value.startsWith('a')", ["value": 1]) == "startsWith is not defined for int and string")
        #expect(outcome("value ? 1 : 2", ["value": 1]) == "the condition of ? is an int, not a bool")
        #expect(outcome("value.map(x, x)", ["value": 1]) == "map iterates over a list or a map, not over an int")
        #expect(outcome("1.0 / 0.0") == "the result is a double that JSON cannot represent")
        #expect(outcome("{1: 'a', '1': 'b'}") == "two keys of the resulting map have the same name")
    }

    // Law F8
    @Test(arguments: [
        ("value[index]", "the index is out of range for the list; indices start at 0"),
        ("value[7]", "index 7 is out of range for the list; indices start at 0"),
        ("map[key]", "the map has no such key; test for it with the operator in"),
        ("map['b']", "the map has no key 'b'; test for it with the operator in"),
        ("map.b", "the map has no member 'b'; test for it with has()"),
        ("key[index]", "cannot read an element of a string, which is neither a list nor a map"),
        ("int(key)", "the text cannot be read as an int"), ("bool(key)", "the text cannot be read as a bool"),
        ("uint(-index)", "the int is beyond the range of a uint"),
        ("decimal(key)", "the text cannot be read as a decimal; write it as '12.50'"),
        ("timestamp(key)", "the text is not a timestamp in the years 1 to 9999; write it as '2026-05-04T10:00:00Z'"),
        ("timestamp(index * 1000000000)", "the number of seconds is not a timestamp in the years 1 to 9999"),
        ("duration(key)", "the text is not a duration of at most 292 years; write it as '1h30m' or '1.5s'"),
        ("base64.decode(key)", "the text is not base64"),
        ("'abc'.matches(key)", "the pattern of matches is no regular expression of RE2"),
        ("key.substring(index)", "substring: the index is out of range for the text; indices start at 0"),
        ("'abc'.substring(2, 1)", "substring ends before its start"),
        ("[1].slice(0, index)", "slice begins or ends out of the range of the list"),
        ("'%d'.format([key])", "%d, %f, %e, %b and %o take numbers, not a string"),
        ("key.format([1])", "unknown format; the formats are %s %d %f %e %b %o %x %X"),
        ("[map, map].join(',')", "join takes a list of texts; an element is a map"),
        ("{key: 1, key: 2}", "a key is in the map twice"),
        ("timestamp('2026-01-01T00:00:00Z').getHours(key)", "unknown time zone; use a name of the time zone database"),
    ])
    func `a failure shows literals, and no value that is computed`(_ formula: String, _ words: String) {
        let values: [String: JSON] = ["value": [1], "index": 4_711, "key": "(SECRET%!", "map": ["a": 1]]
        #expect(outcome(formula, values).hasPrefix(words), "\(formula): \(outcome(formula, values))")
    }
}
