import JSON
import Testing

@testable import Expressions

/// The extensions for lists and sets, and decimals, which the strict dialect lacks.
struct ExtensionTests {
    @Test(arguments: [
        ("[1, 2, 3, 4].slice(1, 3)", "[2,3]"), ("[1, 2].slice(2, 2)", "[]"), ("value.slice(0, 2)", "[3,1]"),
        ("[1, [2, [3]]].flatten()", "[1,2,[3]]"), ("[1, [2, [3]]].flatten(2)", "[1,2,3]"),
        ("[[1]].flatten(0)", "[[1]]"), ("[].flatten()", "[]"),
        ("[1, 2.0, 2, 'a', 'a', 1u, [1], [1.0], null, null].distinct()", #"[1,2,"a",[1],null]"#),
        ("[2.5, 2.5, true, true].distinct()", "[2.5,true]"),
        ("lists.range(4)", "[0,1,2,3]"), ("lists.range(0)", "[]"), ("lists.range(-3)", "[]"),
        ("[3, 1, 2].sort()", "[1,2,3]"), ("['b', 'a', 'B'].sort()", #"["B","a","b"]"#), ("[].sort()", "[]"),
        ("value.sort()", "[1,2,3]"), ("[2.5, 2, decimal('2.5')].slice(0, 2).sort()", "[2,2.5]"),
        ("[true, false].sort()", "[false,true]"), ("[b'b', b'a'].sort()", #"["YQ==","Yg=="]"#),
        ("[{'n': 2}, {'n': 1}].sortBy(x, x.n)", #"[{"n":1},{"n":2}]"#),
        ("['aa', 'b', 'cc', 'd'].sortBy(s, size(s))", #"["b","d","aa","cc"]"#),
        ("{'b': 1, 'a': 2}.sortBy(k, k)", #"["a","b"]"#), ("[1, 2].sortBy(x, -x)", "[2,1]"),
        ("lists.range(5).sortBy(x, x % 2)", "[0,2,4,1,3]"), ("[1, 2, 3].reverse()", "[3,2,1]"),
        ("'abc'.reverse()", #""cba""#),
        ("sets.contains([], [])", "true"), ("sets.contains([], [1])", "false"),
        ("sets.contains([1, 2.0, 3u], [1.0, 2u, 3])", "true"), ("sets.contains([[1], 'a'], [[1.0]])", "true"),
        ("sets.equivalent([1], [1, 1])", "true"), ("sets.equivalent([1, 2], [1])", "false"),
        ("sets.equivalent([], [])", "true"), ("sets.intersects([1], [])", "false"),
        ("sets.intersects([[1], [2, 3]], [[1, 2], [2, 3.0]])", "true"), ("sets.intersects(['a'], value)", "false"),
    ])
    func `a function of lists has a result`(_ source: String, _ result: String) {
        #expect(outcome(source, ["value": [3, 1, 2]]) == result)
    }

    @Test(arguments: [
        "[1, 2].slice(-1, 1)", "[1, 2].slice(1, 3)", "[1, 2].slice(2, 1)", "'abc'.slice(0, 1)", "[1].flatten(-1)",
        "[1, 'a'].sort()", "[[1]].sort()", "[null].sort()", "[0.0 / 0.0, 1].sort()", "[{}].sort()",
        "[1, 2].sortBy(x, [x])", "lists.range('a')", "lists.range(1000000)", "lists.range(9223372036854775807)",
        "sets.contains(1, [1])", "'abc'.distinct()", "[1].reverse(2)", "[1, 2].sortBy(x)",
    ])
    func `a function of lists fails`(_ source: String) {
        #expect(throws: (any Error).self) { try Expression(source, names: []).evaluate([]) }
    }

    @Test(arguments: [
        ("decimal('0.1') + decimal('0.2')", "0.3"), ("decimal('0.90') * 3", "2.7"), ("10 / decimal('4')", "2.5"),
        ("decimal(7) / 2", "3.5"), ("-decimal('1.5')", "-1.5"), ("decimal('7.5') % 2", "1.5"),
        ("2u * decimal('1.5')", "3"),
        ("round(decimal('2.345'), 2)", "2.34"), ("round(decimal('2.355'), 2)", "2.36"),
        ("round(decimal('1') / 3, 4)", "0.3333"), ("round(1250, -2)", "1200"), ("round(7, 2)", "7"),
        ("string(decimal('1') / 3)", #""0.3333333333333333333333333333333333""#),
        ("string(decimal('2') / 3)", #""0.6666666666666666666666666666666667""#),
        ("string(decimal('1e21'))", #""1000000000000000000000""#), ("decimal('12.500')", "12.5"),
        ("decimal('1.0') == 1", "true"), ("decimal('1.5') < 2 && 1 < decimal('1.5')", "true"),
        ("decimal('1.50') == decimal('1.5')", "true"), ("decimal('1') == 'a'", "false"),
        ("int(decimal('-7.9'))", "-7"), ("double(decimal('0.5')) + 0.25", "0.75"), ("decimal(decimal('0.5'))", "0.5"),
        ("type(decimal(1)) == decimal", "true"), ("type(decimal(1))", #""decimal""#),
        ("{1: 'a'}[decimal('1.0')]", #""a""#), ("decimal(2) in [1, 2]", "true"),
        ("math.greatest(decimal('1.5'), 1)", "1.5"), ("math.abs(decimal('-1.5'))", "1.5"),
        ("math.sign(decimal('-1.5'))", "-1"), ("[decimal('2.5'), decimal(1), 2].sort()", "[1,2,2.5]"),
        ("[decimal(1), 1, decimal('0.5'), decimal('0.5')].distinct()", "[1,0.5]"),
        ("'%.2f %s %d'.format([decimal('2.675'), decimal('0.10'), decimal('3.0')])", #""2.68 0.1 3""#),
        ("'%.2f'.format([decimal('7')])", #""7.00""#),
    ])
    func `a decimal has a result`(_ source: String, _ result: String) {
        #expect(outcome(source) == result)
    }

    /// Law F6: a decimal and a double do not mix.
    @Test(arguments: [
        "decimal('1') + 0.9", "0.9 * decimal('1')", "decimal('1') < 0.9", "decimal('1') == 1.0", "decimal(0.9)",
        "round(0.9, 1)", "[decimal('0.5'), 0.25].sort()", "math.greatest(decimal('1'), 0.5)",
    ])
    func `a decimal with a double is refused with advice`(_ source: String) {
        #expect(outcome(source).contains("write decimal('0.9')"))
    }

    @Test(arguments: [
        ("decimal('1,5')", "the text cannot be read as a decimal; write it as '12.50'"),
        ("decimal(true)", "decimal is not defined for bool"), ("decimal('1') / 0", "division by zero"),
        ("decimal('1') % 0", "division by zero"),
        ("round(decimal(1), 35)", "round takes from -34 to 34 places"),
        (
            "decimal('1') / 3",
            "the result has too many digits for a JSON number; round it, as in round(x, 2)"
        ),
        ("decimal('1') + 'a'", "+ is not defined for decimal and string"),
        (
            "decimal('1e300') * decimal('1e300')",
            "the decimal result has more than 308 digits before the decimal point"
        ),
    ])
    func `a decimal fails with words`(_ source: String, _ words: String) {
        #expect(outcome(source) == words)
    }

    @Test(arguments: [
        ("decimal('1') / 3", "0.3333333333333333333333333333333333"), ("decimal('1e21')", "1000000000000000000000"),
        ("decimal('0.0000001')", "0.0000001"),
        (
            "[decimal('1') / 3, {'a': decimal('1e21')}]",
            #"[0.3333333333333333333333333333333333,{"a":1000000000000000000000}]"#
        ),
        ("{'a\"': value, 1: null}", #"{"a\"":[3,1,2.5],"1":null}"#), ("'x'", #""x""#), ("[]", "[]"), ("1.5", "1.5"),
        ("{'1': 2, 1: 3}", "two keys of the resulting map have the same name"),
        ("1.0 / 0.0", "the result is a double that JSON cannot represent"),
    ])
    func `a result as text has all digits`(_ source: String, _ text: String) throws {
        let expression = try Expression(source, names: ["value"])
        let result = Result { () throws(EvaluationFailure) in try expression.text([[3, 1, 2.5]]) }
        switch result {
        case .success(let found): #expect(found == text)
        case .failure(let failure): #expect(failure.description == text)
        }
    }

    @Test func `an unchanged input as text has no limit`() throws {
        let input = JSON.array((0..<200_000).map { .number(Decimal($0)) })
        #expect(try Expression("value", names: ["value"]).text([input]) == input.description)
    }

    @Test(arguments: [
        "decimal('1')", "round(1, 2)", "[1].slice(0, 1)", "lists.range(1)", "sets.contains([], [])",
        "[1].sortBy(x, x)", "type(1) == decimal", "[1].distinct()", "[2, 1].sort()", "[[1]].flatten()", "[1].reverse()",
    ])
    func `the strict dialect has neither decimals nor functions of lists and sets`(_ source: String) {
        #expect(throws: (any Error).self, "\(source)") {
            try Expression(source, names: [], dialect: .strict).evaluate([])
        }
    }

    /// Law F3: each function is priced.
    @Test(arguments: [
        "lists.range(20000).map(x, 'abcdefghij' + string(x)).sort()", "value.distinct()", "value.sort().reverse()",
        "sets.intersects(value, [0.5])", "value.sortBy(x, -x)", "[value, value, value].flatten()",
    ])
    func `a long list ends within the limits`(_ source: String) {
        let value = JSON.array((0..<40_000).map { .number(Decimal("\($0).5") ?? 0) })
        #expect(outcome(source, ["value": value]).hasPrefix("this "), "\(source)")
    }
}
