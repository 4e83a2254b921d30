import JSON
import Testing

@testable import Expressions

/// Law F3: no formula exceeds its limits. Without limits, each of these would run without end, or exhaust the memory or
/// the stack.
struct LimitTests {
    @Test func `a formula has a limited number of characters and parts`() {
        let long = "'" + String(repeating: "a", count: ExpressionLimits.sourceLength) + "'"
        #expect(fault(long)?.description.contains("the limit is 16384") == true)
        let list = "[" + String(repeating: "1,", count: ExpressionLimits.nodes) + "]"
        #expect(fault(list)?.description == "the formula has more than 4096 parts")
    }

    @Test(arguments: [
        "(", "[", "{1:", "-", "!", "size(", "a.b(", "[1].map(x, ", "true ? true : ", "1 + (", "value[",
        "cel.bind(x, 1, ", "!-",
    ])
    func `a formula that is nested too deep is rejected`(_ opening: String) {
        #expect(
            fault(String(repeating: opening, count: 1_000))?.description
                == "the formula is nested more than \(ExpressionLimits.nesting) deep"
        )
    }

    @Test func `a chain is as deep as it is long, except a chain of conditions`() {
        func chain(_ count: Int, _ sign: String) -> String {
            Array(repeating: "true", count: count).joined(separator: sign)
        }
        #expect(fault(chain(ExpressionLimits.nesting + 1, "==")) != nil)
        #expect(fault(chain(ExpressionLimits.nesting, "==")) == nil)
        #expect(fault(chain(2_000, "&&")) == nil)
        #expect(fault("value" + String(repeating: ".a", count: 200)) != nil)
    }

    @Test func `a formula of the greatest depth compiles and evaluates on a small stack`() async {
        let depth = ExpressionLimits.nesting
        let sources = [
            String(repeating: "(", count: depth - 1) + "1" + String(repeating: ")", count: depth - 1),
            String(repeating: "[", count: depth - 2) + "1" + String(repeating: "]", count: depth - 2),
            String(repeating: "!", count: depth - 2) + "true",
            String(repeating: "1 + (", count: depth - 2) + "1" + String(repeating: ")", count: depth - 2),
            Array(repeating: "1", count: depth).joined(separator: " + "),
            String(repeating: "true ? ", count: 1) + String(repeating: "1 : true ? ", count: depth - 3) + "1 : 2",
            String(repeating: "cel.bind(x, 1, ", count: depth - 2) + "x" + String(repeating: ")", count: depth - 2),
            String(repeating: "[1].map(x, ", count: depth - 2) + "x" + String(repeating: ")", count: depth - 2),
            String(repeating: "[1].exists(x, x == 1 && (", count: depth / 3) + "true"
                + String(repeating: "))", count: depth / 3),
            "'a'.matches('" + String(repeating: "(", count: 50) + String(repeating: ")*", count: 50) + "')",
            "value" + String(repeating: ".a", count: depth - 3) + " == 1 || true",
        ]
        for source in sources {
            let result = await SmallStack.run { outcome(source, ["value": 1]) }
            #expect(!result.contains(" nested more than "), "\(source): \(result)")
        }
    }

    @Test func `macros nested over literals are costed at definition`() throws {
        let list = "[1,2,3,4,5,6,7,8,9,10]"
        let nested = String(repeating: "\(list).all(x, ", count: 6) + "true" + String(repeating: ")", count: 6)
        #expect(fault(nested)?.description.contains("more than the 100000 allowed") == true)
        let deeper = String(repeating: "value.map(x, ", count: 40) + "x" + String(repeating: ")", count: 40)
        #expect(fault(deeper) != nil)
        #expect(try Expression("\(list).map(x, x + 1)", names: []).cost < 100)
        // The length of a bound or concatenated list stays known.
        let bound = "cel.bind(l, \(list) + \(list), l.map(a, l.map(b, l.map(c, l.map(d, a + b + c + d)))))"
        #expect(fault(bound) != nil)
    }

    @Test(arguments: [
        "value.all(a, value.all(b, value.all(c, a + b + c >= 0)))",
        "value.exists(a, value.exists(b, value.exists(c, a / 0 == 1)))",
        "value.map(a, value.map(b, value.map(c, c)))",
        "value.transformMap(k, v, value.transformMap(l, w, value.map(x, x)))",
        "value.filter(a, value.exists_one(b, value == value))",
        "value.map(a, value + value + value + value).size() > 0",
        "value.map(a, value.map(b, string(a) + string(b)).join(',')).join(',')",
        "value.all(a, value.all(b, '%s'.format([value]) != ''))",
        "value.all(a, value.all(b, timestamp('2026-01-01T00:00:00Z').getHours('No/Where' + string(b)) == 1))",
        "true || value.all(a, value.all(b, value.all(c, true)))  && value.all(a, value.all(b, value.all(c, true)))",
    ])
    func `steps are counted at run time`(_ source: String) {
        let list = JSON.array((0..<1_000).map { JSON.number(Decimal(Int64($0))) })
        let start = ContinuousClock.now
        let result = outcome(source, ["value": list])
        #expect(
            result.contains("this takes more than 100000 steps") || result.contains("this makes more than")
                || result == "true", "\(result)"
        )
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test func `an exceeded limit is not ignored by || and macros`() {
        let list = JSON.array((0..<1_000).map { JSON.number(Decimal(Int64($0))) })
        let endless = "value.all(a, value.all(b, value.all(c, true)))"
        #expect(outcome("\(endless) || true", ["value": list]) == "this takes more than 100000 steps")
        #expect(
            outcome("value.exists(x, \(endless) || x == 3)", ["value": list]) == "this takes more than 100000 steps")
    }

    @Test func `texts that double end at the limit`() {
        var source = "s"
        for _ in 0..<30 { source = "cel.bind(s, s + s, \(source))" }
        #expect(outcome("cel.bind(s, 'abcdefgh', \(source).size())") == "this takes more than 100000 steps")
        #expect(outcome("cel.bind(s, [1], \(source).size())") == "this takes more than 100000 steps")
        let long = JSON.string(String(repeating: "x", count: 600_000))
        #expect(outcome("value + value", ["value": long]) == "a text would be longer than 1048576 bytes")
    }

    @Test func `a shared value counts each time it occurs in the result`() {
        var source = "s"
        for _ in 0..<30 { source = "cel.bind(s, [s, s], \(source))" }
        #expect(outcome("cel.bind(s, 'x', \(source))") == "this takes more than 100000 steps")
        #expect(outcome("cel.bind(s, 'x', \(source) == \(source))") == "this takes more than 100000 steps")
        #expect(outcome("cel.bind(s, 'x', '%s'.format([\(source)]))") == "this takes more than 100000 steps")
        let long = JSON.string(String(repeating: "x", count: 1_000_000))
        #expect(
            outcome("[value, value, value, value, value]", ["value": long]) == "the result is larger than 4194304 bytes"
        )
    }

    @Test(arguments: [
        "value.replace('', value)", "value.replace('a', value)", "value.split('').map(x, value).join()",
        "'%s%s%s'.format([value, value, value])",
    ])
    func `functions do not allocate more than the limit`(_ source: String) {
        let long = JSON.string(String(repeating: "a", count: 500_000))
        #expect(
            outcome(source, ["value": long]).contains("more than")
                || outcome(source, ["value": long]).contains("longer than"))
    }

    @Test(arguments: [
        "(a*)*b", "(a|a)*b", "(a+)+$", "(.*)(.*)(.*)(.*)x", "a{0,500}b", "((a?){30}){30}b", "(?i)(\\\\pL*)*1",
        "[^b]*[^b]*[^b]*b",
    ])
    func `matching a pattern takes time linear in the text`(_ pattern: String) {
        let text = JSON.string(String(repeating: "a", count: 20_000))
        let start = ContinuousClock.now
        let result = outcome("value.matches('\(pattern)')", ["value": text])
        #expect(["true", "false", "this takes more than 100000 steps"].contains(result), "\(result)")
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test(arguments: ["((a{100}){100}){100}", "(((((a{9}){9}){9}){9}){9}){9}", "(((){1000}){1000}){1000}a{1001}"])
    func `a pattern that is too large is rejected`(_ pattern: String) {
        #expect(fault("value.matches('\(pattern)')") != nil)
    }

    @Test func `a repetition without content does not loop`() {
        #expect(outcome("'a'.matches('((((((){1000}){1000}){1000}){1000}){1000}){1000}')") == "true")
    }

    @Test func `a value nested deeper than the JSON limit is rejected`() {
        var deep: JSON = 1
        for _ in 0..<500 { deep = [deep] }
        #expect(outcome("value == [value]", ["value": deep]).contains("nested more than 64 deep"))
        #expect(outcome("[value]", ["value": deep]).contains("nested more than 64 deep"))
        #expect(outcome("'%s'.format([value])", ["value": deep]).contains("nested more than 64 deep"))
    }

    @Test(arguments: ["size(value)", "value == value", "[value].map(v, v)[0] == value", "value.missing"])
    func `an evaluation retains none of its inputs`(_ source: String) throws {
        let expression = try Expression(source, names: ["value"])
        // A uniquely referenced value is changed in place.
        var list = Array(repeating: JSON.null, count: 100)
        let place = list.withUnsafeBufferPointer { $0.baseAddress }
        _ = Result { () throws(EvaluationFailure) in try expression.evaluate(.array(list)) }
        list[0] = true
        #expect(list.withUnsafeBufferPointer { $0.baseAddress } == place)
        var text = String(repeating: "a", count: 100)
        text.reserveCapacity(200)
        let start = text.utf8.withContiguousStorageIfAvailable { $0.baseAddress }
        _ = Result { () throws(EvaluationFailure) in try expression.evaluate(.string(text)) }
        text.append("a")
        #expect(text.utf8.withContiguousStorageIfAvailable { $0.baseAddress } == start)
    }
}
