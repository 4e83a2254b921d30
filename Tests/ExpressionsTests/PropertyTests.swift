import JSON
import Testing

@testable import Expressions

/// Properties of every formula and every value.
struct PropertyTests {
    private static let value: JSON = ["a": 3, "list": [1, 2.5, "b", nil, [true]], "b": ["c": "d"]]

    /// Law F2: a formula and a value have one outcome.
    @Test func `a random formula has the same outcome each time`() throws {
        var source = RandomFormula(random: SplitMix64(seed: 11))
        var results = 0
        for _ in 0..<4_000 {
            let formula = source.formula(depth: Int.random(in: 1...3, using: &source.random))
            guard let expression = try? Expression(formula, names: ["value", "x"]) else { continue }
            let outcomes = (0..<2).map { _ in
                Result { () throws(EvaluationFailure) in try expression.evaluate([Self.value, 2]) }
            }
            switch (outcomes[0], outcomes[1]) {
            case (.success(let one), .success(let other)):
                results += 1
                #expect(one == other, "\(formula)")
                // A result is JSON that can be encoded and parsed.
                #expect(try JSON(parsing: one.json()) == one, "\(formula)")
            case (.failure(let one), .failure(let other)):
                #expect(one == other && !one.description.isEmpty, "\(formula)")
            default: Issue.record("\(formula) has two different outcomes")
            }
        }
        #expect(results > 100)
    }

    @Test func `the failure of a random formula shows no value of its inputs`() {
        let secrets: JSON = ["a": "SECRET", "list": [7_353_911, 91.5777, "SECRET", ["SECRET": 7_353_911]]]
        var source = RandomFormula(random: SplitMix64(seed: 15))
        var failures = 0
        for _ in 0..<20_000 {
            let formula = source.formula(depth: Int.random(in: 1...3, using: &source.random))
            guard let expression = try? Expression(formula, names: ["value", "x"]) else { continue }
            do throws(EvaluationFailure) {
                _ = try expression.evaluate([secrets, 7_353_911])
            } catch {
                failures += 1
                for part in ["SECRET", "TERCES", "secret", "7353911", "91.5777"] {
                    #expect(!error.description.contains(part), "\(formula): \(error)")
                }
            }
        }
        #expect(failures > 1_000)
    }

    @Test func `one value and two give the same result as a list of them`() throws {
        for formula in ["[a, b, a == b]", "a - b", "a < b", "a / b", "[a, b].map(c, c == a ? b : a)"] {
            let expression = try Expression(formula, names: ["a", "b"])
            for (a, b) in [(7, 2), (2.5, 2), (7, nil), (["x"], "y"), (0, 0)] as [(JSON, JSON)] {
                let inList = Result { () throws(EvaluationFailure) in try expression.evaluate([a, b]) }
                #expect(
                    Result { () throws(EvaluationFailure) in try expression.evaluate(a, b) } == inList,
                    "\(formula) of \(a) and \(b)")
            }
        }
        for value in [7, 2.5, nil, "y", ["x"], ["a": 1]] as [JSON] {
            let expression = try Expression("[value].map(c, c)[0]", names: ["value"])
            #expect(try expression.evaluate(value) == value && expression.evaluate([value]) == value)
        }
    }

    @Test func `a syntax error is reported within the source`() {
        var source = RandomFormula(random: SplitMix64(seed: 12))
        for _ in 0..<4_000 {
            var scalars = Array(source.formula(depth: 3).unicodeScalars)
            for _ in 0..<Int.random(in: 1...3, using: &source.random) {
                let place = Int.random(in: 0..<scalars.count, using: &source.random)
                if Bool.random(using: &source.random) {
                    scalars.remove(at: place)
                } else {
                    scalars.insert(
                        contentsOf: "(\\'.,🦊".unicodeScalars.shuffled(using: &source.random).prefix(1), at: place)
                }
                if scalars.isEmpty { break }
            }
            guard let fault = fault(String(String.UnicodeScalarView(scalars))) else { continue }
            #expect(0...scalars.count ~= fault.offset)
        }
    }

    @Test func `integer arithmetic is exact or fails`() throws {
        var random = SplitMix64(seed: 13)
        for round in 0..<1_000 {
            let a =
                round == 0
                ? .min : Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<64, using: &random)
            let b =
                round == 0
                ? -1 : Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<64, using: &random)
            let values: [String: JSON] = [
                "a": .number(Decimal(a)), "b": .number(Decimal(b)), "m": ["a": .number(Decimal(a))],
            ]
            for (sign, exact) in Self.exact(a, b) {
                let expected = exact.flatMap { Int64(exactly: $0) }.map { "\($0)" }
                let result = outcome("a \(sign) b", values)
                #expect(
                    expected == result
                        || (expected == nil && result.contains(exact == nil ? "by zero" : "does not fit 64 bits")),
                    "\(a) \(sign) \(b)")
                // Variables, literals and other operands take different paths through the compiler.
                for other in ["a \(sign) (\(b))", "m.a \(sign) (\(b))", "m.a \(sign) b", "a \(sign) [b][0]"] {
                    #expect(outcome(other, values) == result, "\(other) of \(a) and \(b)")
                }
            }
            for (sign, isSo) in [
                ("<", a < b), ("<=", a <= b), (">", a > b), (">=", a >= b), ("==", a == b), ("!=", a != b),
            ] {
                for formula in [
                    "a \(sign) b", "a \(sign) (\(b))", "m.a \(sign) (\(b))", "m.a \(sign) b", "a \(sign) [b][0]",
                ] {
                    #expect(outcome(formula, values) == "\(isSo)", "\(formula) of \(a) and \(b)")
                }
            }
        }
    }

    /// Returns the exact results of integer arithmetic; nil for a result outside the range.
    private static func exact(_ a: Int64, _ b: Int64) -> [(sign: String, exact: Int128?)] {
        let (a, b) = (Int128(a), Int128(b))
        return [("+", a + b), ("-", a - b), ("*", a * b), ("/", b == 0 ? nil : a / b), ("%", b == 0 ? nil : a % b)]
    }

    @Test func `doubles survive conversion to text, and bytes survive base64`() {
        var random = SplitMix64(seed: 14)
        for _ in 0..<3_000 {
            let double = Double(bitPattern: UInt64.random(in: .min ... .max, using: &random))
            if double.isNaN { continue }
            #expect(Double(double.text) == double)
            #expect(Double(double.plainText) == double)
            let bytes = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        }
        #expect(
            [0.1, -0.0, 1e21, 1e22, 1e-5, 1e-7, 123456.789, .leastNonzeroMagnitude, 100, 1e6].map(\.text) == [
                "0.1", "-0", "1e+21", "1e+22", "0.00001", "1e-7", "123456.789", "5e-324", "100", "1000000",
            ])
        #expect(["a", "a=", "====", "YQ=", "YQ===", "Y=Q=", "YR==", "Y Q="].allSatisfy { Base64.decode($0) == nil })
    }

    @Test func `a text search finds the places of a naive search`() {
        var random = SplitMix64(seed: 15)
        for _ in 0..<500 {
            let text = (0..<Int.random(in: 0..<300, using: &random)).map { _ in
                ["a", "b", "é"].randomElement(using: &random)!
            }
            let part = (0..<Int.random(in: 1..<8, using: &random)).map { _ in
                ["a", "b", "é"].randomElement(using: &random)!
            }
            let places = text.indices.filter { text[$0...].starts(with: part) }
            let values: [String: JSON] = ["t": .string(text.joined()), "p": .string(part.joined())]
            #expect(outcome("t.indexOf(p)", values) == "\(places.first ?? -1)")
            #expect(outcome("t.lastIndexOf(p)", values) == "\(places.last ?? -1)")
            #expect(outcome("t.contains(p)", values) == "\(!places.isEmpty)")
            #expect(outcome("t.split(p).join(p) == t", values) == "true")
            #expect(outcome("t.replace(p, '') == t.split(p).join()", values) == "true")
            #expect(outcome("t.reverse().reverse() == t && t.split('').join() == t", values) == "true")
        }
    }
}
