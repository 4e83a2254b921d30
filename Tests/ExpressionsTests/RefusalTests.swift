import JSON
import Testing

@testable import Expressions

/// Law F1: what cannot be is refused when it is defined, with words and a place.
struct RefusalTests {
    @Test(arguments: [
        ("value +", 7, "expected a value, found the end"),
        ("value value", 6, "expected an operator or the end, found 'value'"),
        ("(1", 2, "expected ')', found the end"),
        ("[1 2]", 3, "expected ',' or ']', found a number"),
        ("{1}", 2, "expected ':', found '}'"),
        ("1 = 2", 2, "the character '=' has no place in a formula"),
        ("'abc", 0, "the text that begins here has no end; close it with a quote of the same kind"),
        ("'a\\q'", 2, "\\q stands for nothing; a backslash is \\\\, and r'…' takes them as they are"),
        ("valeu + 1", 0, "there is no name 'valeu'; there is value"),
        ("1 + other.price", 4, "there is no name 'other'; there is value"),
        ("sise(value)", 0, "there is no function 'sise'"),
        ("value.sise()", 6, "there is no method 'sise'"),
        ("size()", 0, "size takes 1 arguments, 0 are given"),
        ("'a'.replace('b')", 4, "replace takes 2 or 3 arguments, 1 are given"),
        ("startsWith('a', 'b')", 0, "startsWith is a method: write value.startsWith(…)"),
        ("value.int()", 6, "int is no method: write int(value)"),
        ("value.map(x)", 6, "map is written as in value.map(x, x * 2)"),
        ("value.map(1, 2)", 10, "expected the name of a variable, as x in value.map(x, x * 2)"),
        ("value.all(a, a, true)", 13, "the two variables have the same name 'a'"),
        ("has(value)", 0, "has() asks whether there is a member, as in has(value.name)"),
        ("value.matches('a(')", 6, "the pattern cannot be read: a ( is not closed; for the character itself write \\("),
        ("while + 1", 0, "'while' is kept for later versions of CEL and cannot be a name"),
        ("9223372036854775808", 0, "this number is beyond the range of an int; write it with a u to make it a uint"),
        ("1e999", 0, "this number is beyond the range of a double"),
        ("'é' + 😀", 6, "the character '😀' has no place in a formula"),
        ("value.in", 6, "expected the name of a member, found 'in'"),
        ("a ? b ? c : d : e", 6, "expected ':', found '?'"),
        ("1 < 2 +", 7, "expected a value, found the end"),
        ("", 0, "expected a value, found the end"),
    ])
    func `what is wrong is said, and where`(_ source: String, _ offset: Int, _ description: String) throws {
        let found = try #require(fault(source))
        #expect(found.description == description)
        #expect(found.offset == offset)
    }

    @Test func `the number of values must be that of the names`() throws {
        let expression = try Expression("a + b", names: ["a", "b"])
        #expect(try expression.evaluate([1, 2]) == 3)
        #expect(throws: EvaluationFailure("1 values were given for 2 names")) { try expression.evaluate([1]) }
        #expect(throws: EvaluationFailure("1 value was given for 2 names")) { try expression.evaluate(1 as JSON) }
        let other = try Expression("a", names: ["a"])
        #expect(throws: EvaluationFailure("2 values were given for 1 names")) { try other.evaluate(1, 2) }
    }

    @Test func `each failure says what to do`() {
        #expect(outcome("value.price", ["value": ["prize": 1]]) == "there is no member 'price'; has() tells whether there is one")
        #expect(outcome("value.price", ["value": nil]) == "'price' was asked of null, which has no members")
        #expect(outcome("value[3]", ["value": [1]]) == "there is no element 3 in a list of 1, which are counted from 0")
        #expect(outcome("value['a']", ["value": [:]]) == "there is no key 'a' in the map; the operator in tells whether there is")
        #expect(outcome("value + 1", ["value": "a"]) == "+ is not defined for string and int")
        #expect(outcome("value.startsWith('a')", ["value": 1]) == "startsWith is not defined for int and string")
        #expect(outcome("value ? 1 : 2", ["value": 1]) == "the condition of ? is an int, not a bool")
        #expect(outcome("value.map(x, x)", ["value": 1]) == "map goes through a list or a map, not through an int")
        #expect(outcome("1.0 / 0.0") == "the result is Infinity, which JSON has no number for")
        #expect(outcome("{1: 'a', '1': 'b'}") == "two keys of the resulting map would both be the name '1'")
    }
}
