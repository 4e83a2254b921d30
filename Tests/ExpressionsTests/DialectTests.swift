import JSON
import Testing

@testable import Expressions

/// Law F5: ints and doubles mix, except in the strict dialect.
struct DialectTests {
    @Test(arguments: [
        ("1 + 2.5", "3.5"), ("2.5 - 1", "1.5"), ("2 * 1.5", "3"), ("1 / 2.0", "0.5"), ("7 / 2", "3"),
        ("math.ceil(3)", "3"),
        ("math.isNaN(1)", "false"), ("value + 0.5", "2.5"), ("[1, 2.5].map(x, x * 2)", "[2,5]"),
    ])
    func `an operator mixes ints and doubles`(_ source: String, _ result: String) {
        #expect(outcome(source, ["value": 2]) == result)
    }

    /// Variables and literals take different paths through the compiler.
    @Test(
        arguments: [
            ("a + b", 2, 0.5, "2.5"), ("a - b", 0.5, 2, "-1.5"), ("a * b", 1.5, 1.5, "2.25"), ("a / b", 1, 0.5, "2"),
            ("a + b", "x", "y", #""xy""#), ("a + b", [1], [2], "[1,2]"),
            ("a + b", 1, "y", "+ is not defined for int and string"),
            ("a % b", 1, 0.5, "% is not defined for int and double"), ("a < b", 1, 1.5, "true"),
            ("a >= b", "x", "y", "false"),
            ("a == b", 1, 1.5, "false"), ("a == b", 0.5, 0.5, "true"), ("a != b", 1, "1", "true"),
            ("a == b", ["x"], ["x"], "true"),
            ("a == b", nil, nil, "true"),
        ] as [(String, JSON, JSON, String)])
    func `an operator on two variables mixes all pairs of types as for literals`(
        _ source: String, _ a: JSON, _ b: JSON, _ result: String
    ) {
        #expect(outcome(source, ["a": a, "b": b]) == result)
    }

    @Test func `the strict dialect rejects mixed variables`() {
        #expect(outcome("a + b", ["a": 1, "b": 2.5], dialect: .strict) == "+ is not defined for int and double")
        #expect(outcome("a + b", ["a": 1, "b": 2], dialect: .strict) == "3")
    }

    @Test(arguments: ["1 + 2.5", "2.5 - 1", "2 * 1.5", "1 / 2.0", "math.ceil(3)", "math.isNaN(1)"])
    func `the strict dialect rejects mixed literals`(_ source: String) {
        #expect(outcome(source, dialect: .strict).contains("is not defined for"))
    }

    @Test(arguments: ["1u + 2.5", "1u + 1", "5.5 % 2", "'a' + 1", "-true"])
    func `no other types mix`(_ source: String) {
        #expect(outcome(source).contains("is not defined for"))
    }

    @Test func `a number without a fraction is an int, any other a double`() {
        #expect(outcome("type(value)", ["value": 1]) == #""int""#)
        #expect(outcome("type(value)", ["value": 1.0]) == #""int""#)
        #expect(outcome("type(value)", ["value": 1.5]) == #""double""#)
        #expect(outcome("type(value)", ["value": .number(Decimal("1e300")!)]) == #""double""#)
        #expect(outcome("value", ["value": -9_223_372_036_854_775_808]) == "-9223372036854775808")
    }

    @Test func `a result is JSON`() {
        #expect(outcome("b'abc'") == #""YWJj""#)
        #expect(outcome("timestamp('2026-05-04T10:00:00+02:00')") == #""2026-05-04T08:00:00Z""#)
        #expect(outcome("duration('1m30.5s')") == #""90.5s""#)
        #expect(outcome("{1: 'a', true: 'b', 2u: 'c'}") == #"{"1":"a","true":"b","2":"c"}"#)
        #expect(
            outcome("18446744073709551615u").hasPrefix("the result is too large for a number"))
        #expect(outcome("value", ["value": ["a": [1, nil, ["b": 0.5]]]]) == #"{"a":[1,null,{"b":0.5}]}"#)
        #expect(outcome("[value, 1]", ["value": ["a": [1]]]) == #"[{"a":[1]},1]"#)
    }

    @Test func `a name may contain dots, and the longest declared name wins`() {
        #expect(outcome("a.b.c", ["a.b": ["c": 1], "a": ["b": ["c": 2]]]) == "1")
        #expect(outcome("a.b.c", ["a.b.c": 0, "a.b": ["c": 1]]) == "0")
        #expect(outcome("[1].map(a, a)", ["a": 5]) == "[1]")
        #expect(outcome("[1].map(a, .a)", ["a": 5]) == "[5]")
    }

    @Test func `texts are compared and counted by code points`() {
        // The same letter, once as one code point and once as two.
        #expect(outcome("value == '\u{E9}'", ["value": "e\u{301}"]) == "false")
        #expect(outcome("size(value)", ["value": "e\u{301}"]) == "2")
        #expect(outcome("value['e\u{301}']", ["value": ["\u{E9}": 1, "e\u{301}": 2]]) == "2")
        #expect(outcome("'👨‍👩‍👧'.size()") == "5")
    }
}
