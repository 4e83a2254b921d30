import JSON
import Platform
import Testing

@testable import Expressions

/// Corner cases of strict CEL that the conformance cases do not cover.
struct SuiteTests {
    init() { ZoneDatabase.use(SystemZones.read) }

    @Test(arguments: [
        "0x55555555 == 1431655765", "-0x1 == -1", "0xffu == 255u", "'\\U0001F600' == '😀'", "b\"\\303\\277\" == b'ÿ'",
        "[1, 2,] == [1, 2]",
        "{'a': 1,} == {'a': 1}",
        "1 // a comment\n == 1", "'''a\nb''' == 'a\\nb'", "r'\\n' == '\\\\n'", "bR'\\x' == b'\\\\x'",
        "{'in': 1}['in'] == 1", "{'while': 1}.while == 1",
        "1\u{0C}+\r1 == 2", "x || true", "f_unknown(17) || true", "[1].exists(x, y) || true", "!(false && 32)",
        "false ? 1 / 0 : true", "{0: 1, 1: 2}[1.0] == 2",
        "{1u: 'a'}[1] == 'a'", "1.0 in {1: 'a'}", "math.greatest([1, 2u, 3.0]) == 3.0", "math.least(dyn(1), 2) == 1",
        "math.sqrt(4) == 2.0",
        "math.round(-1.5) == -2.0", "math.abs(-1.5) == 1.5",
        "math.bitShiftLeft(1, 64) == 0", "math.bitShiftRight(-1, 63) == 1", "'abc'.lastIndexOf('') == 3",
        "''.indexOf('') == 0",
        "'tacocat'.indexOf('a', 7) == -1", "'tacocat'.lastIndexOf('a', 7) == -1", "'abc'.charAt(3) == ''",
        "'abc'.split('') == ['a', 'b', 'c']", "''.split(',') == ['']", "'a,b'.split(',', 1) == ['a,b']",
        "'abc'.replace('', '_') == '_a_b_c_'", "'abc'.replace('', '_', 2) == '_a_bc'",
        "'hello'.replace('l', 'x', 0) == 'hello'",
        "'\\u0085\\u00a0\\u1680text\\u2003'.trim() == 'text'", "'\\u180etext\\u200b'.trim() == '\\u180etext\\u200b'",
        "'%x'.format([-30]) == '-1e'", "'%b'.format([-5]) == '-101'", "'%o'.format([-8]) == '-10'",
        "'%d'.format([2.5]) == '2.5'",
        "'%s'.format([duration('1h0m1.5s')]) == '3601.5s'", "'%f'.format([1]) == '1.000000'",
        "'%.0e'.format([12345.0]) == '1e+04'",
        "'%s'.format([{'b': 1, 'a': [true]}]) == '{a: [true], b: 1}'",
        "type(timestamp(0)) == google.protobuf.Timestamp", "type(type(1)) == type", "type(null) == null_type",
        "int('-9223372036854775808') < 0", "uint('18446744073709551615') > 0u",
        "string(timestamp('2020-01-01T00:00:00.5+01:00')) == '2019-12-31T23:00:00.5Z'",
        "string(1.0) == '1'", "string(0.1) == '0.1'", "double('NaN') != double('NaN')",
        "double('Infinity') == 1.0 / 0.0",
        "duration('123.321456789s').getMilliseconds() == 321",
        "timestamp('2009-02-13T23:31:30Z').getDayOfYear('Asia/Tokyo') == 44",
        "timestamp('0001-01-01T00:00:01.000000001Z') + duration('-999999999ns') == timestamp('0001-01-01T00:00:00.000000002Z')",
        "timestamp(0) - duration('1s') < timestamp(0)", "has({'a': null}.a)", "{'a': {'b': 1}}.a.b == 1",
        "[[1]].map(x, x.map(y, y + 1)) == [[2]]",
        "[1, 2, 3].map(i, i > 1, i * 2) == [4, 6]", "{'a': 1}.transformMapEntry(k, v, {v: k}) == {1: 'a'}",
        "[1, 2].transformMapEntry(i, v, {v: i}) == {1: 0, 2: 1}", "[1, 2].transformMap(i, v, v) == {0: 1, 1: 2}",
        "dyn(9223372036854775807) == 9223372036854775807", "dyn(18446744073709551615u) > 9223372036854775807.0",
        "'\\x00' < '\\x01'",
        "b'\\xff' > b'\\x00'", "false < true", "'a' < 'b' && 'B' < 'a'", "[1, [2]] == [1.0, [2u]]",
        "{1: 'a'} == {1u: 'a'}",
        "size({'a': 1}) == {'a': 1}.size()", "'a'.matches('(?i)A')", "matches('foobar', 'o{2}')",
        "cel.bind(a, [1], cel.bind(b, a + a, b.size())) == 2", "base64.encode(b'hello') == 'aGVsbG8='",
        "strings.quote('\\u0085a') != ''",
        "timestamp(timestamp(5)) == timestamp(5)",
    ])
    func `a formula is true`(_ source: String) {
        let test: JSON = ["file": "", "section": "", "name": "", "expr": .string(source), "value": ["bool": true]]
        #expect(Conformance(test)?.report() == ["file": "", "section": "", "name": "", "ok": true])
    }

    @Test(arguments: [
        "1 +", "x", "f_unknown(1)", "1 + 1.0", "1u - 2u", "-(1u)", "int('1.5')", "uint('-1')", "bool('yes')",
        "{1: 1, 1u: 2}", "{null: 1}",
        "{1.5: 1}", "[1][1.5]", "[1][-1]", "{'a': 1}[[]]", "'a' in 'abc'", "1 in 1", "[1] < [2]", "null < null",
        "timestamp(0) < duration('1s')", "type(1) < type(2)", "math.greatest()", "math.greatest('a')",
        "math.greatest([])", "math.ceil(1)",
        "math.bitAnd(1, 1u)", "math.bitShiftLeft(1, 1u)", "math.sign('a')", "'a'.charAt(-1)", "'abc'.substring(-1)",
        "'abc'.substring(4)", "'tacocat'.indexOf('a', 30)", "'tacocat'.lastIndexOf('a', 30)",
        "[1].join()",
        "['a', 1].join(',')", "'%s %s'.format(['a'])", "'%'.format([])", "'%z'.format([1])", "'%d'.format(['a'])",
        "'%x'.format([true])",
        "'%f'.format(['a'])", "base64.decode('!')", "timestamp('2020-01-01')", "timestamp(253402300800)",
        "duration('1')",
        "timestamp(0).getHours('X/Y')",
        "duration('1s').getFullYear()", "'a'.matches('(')", "'a'.matches(dyn(1))", "[].map(x, 1, 2).all(y)", "has(1)",
        "{'a': 1}.b", "1.a",
        "[1].a", "true && 1", "1 ? 2 : 3", "[1, 2].map(x, x / 0)", "[1].transformMapEntry(i, v, v)",
        "[1, 2].transformMapEntry(i, v, {0: v})", "as", "{'a': 1}.true",
        "'\\ud800'", "b'\\u00ff'", "'\\400'", "'a\nb'", "1.5u", "9223372036854775808", "-9223372036854775809",
        "18446744073709551616u",
        "a.b.c", "1 = 1", "'a' + 1", "[1] + 1", "string([1])", "bytes(1)", "int(true)", "double(true)",
        "9223372036854775807 * 2",
        "-9223372036854775808 / -1", "-(-9223372036854775808)",
    ])
    func `a formula fails`(_ source: String) {
        let test: JSON = ["file": "", "section": "", "name": "", "expr": .string(source), "error": true]
        #expect(Conformance(test)?.report() == ["file": "", "section": "", "name": "", "ok": true])
    }
}
