import JSON
import Testing

/// Law F6: decimals compute exactly, and a result of more than 34 digits is rounded half to even.
struct LongDecimalTests {
    @Test(arguments: [
        ("0.1", "+", "0.2", "0.3"), ("1e33", "+", "0.1", "1000000000000000000000000000000000"),
        ("1e33", "+", "1", "1000000000000000000000000000000001"), ("5", "-", "5", "0"), ("-1.5", "+", "0.25", "-1.25"),
        ("1e40", "-", "1", "10000000000000000000000000000000000000000"),
        ("1e34", "-", "0.6", "9999999999999999999999999999999999"),
        ("1e34", "-", "0.4", "10000000000000000000000000000000000"),
        ("2350.50", "*", "3", "7051.5"), ("1", "/", "3", "0.3333333333333333333333333333333333"),
        ("2", "/", "3", "0.6666666666666666666666666666666667"), ("1", "/", "8", "0.125"), ("-10", "/", "4", "-2.5"),
        (
            "9999999999999999999999999999999999", "*", "9999999999999999999999999999999999",
            "99999999999999999999999999999999980000000000000000000000000000000000"
        ),
        ("7.5", "%", "2", "1.5"), ("-7.5", "%", "2", "-1.5"), ("1e300", "%", "7", "1"), ("3", "%", "1e20", "3"),
        ("0.3", "%", "0.1", "0"),
        ("1e200", "*", "1e-200", "1"), ("0", "/", "7", "0"),
    ])
    func `an operation has its exact or nearest result`(
        _ left: String, _ sign: String, _ right: String, _ result: String
    ) throws {
        let (a, b) = (try #require(LongDecimal(left)), try #require(LongDecimal(right)))
        let value =
            switch sign {
            case "+": try a + b
            case "-": try a - b
            case "*": try a * b
            case "%": try a % b
            default: try a / b
            }
        #expect(value.description == result)
    }

    @Test(arguments: [
        ("2.5", 0, "2"), ("3.5", 0, "4"), ("2.50001", 0, "3"), ("-2.5", 0, "-2"), ("1.005", 2, "1"),
        ("1.015", 2, "1.02"),
        ("1234.5", -2, "1200"), ("1250", -2, "1200"), ("0.4", 0, "0"), ("1e-300", 34, "0"), ("9.99", 1, "10"),
        ("7", 3, "7"),
    ])
    func `rounding takes halves to even`(_ text: String, _ places: Int, _ result: String) throws {
        #expect(try #require(LongDecimal(text)).rounded(places: places).description == result)
    }

    @Test func `extreme places of rounding give the number or 0`() throws {
        for text in ["-12.5", "99e300", "0"] {
            let number = try #require(LongDecimal(text))
            #expect(try number.rounded(places: .min).signum == 0)
            #expect(try number.rounded(places: .max) == number)
        }
    }

    @Test(arguments: [
        ("0", "0"), ("-0.000", "0"), ("12.50", "12.5"), ("1e3", "1000"), ("1E+3", "1000"), ("1.5e-3", "0.0015"),
        ("1e21", "1000000000000000000000"), ("0.0000001", "0.0000001"),
        ("12345678901234567890123456789012345", "12345678901234567890123456789012340"),
        ("12345678901234567890123456789012355", "12345678901234567890123456789012360"),
        ("123456789012345678901234567890123450000000000001", "123456789012345678901234567890123500000000000000"),
    ])
    func `a text has neither an exponent nor trailing zeros`(_ text: String, _ result: String) throws {
        #expect(try #require(LongDecimal(text)).description == result)
    }

    @Test(arguments: ["", "-", "+1", ".5", "5.", "01", "1e", "1e+", "0x1", "1 ", "NaN", "1e400", "1_0", "１"])
    func `a text that is no number in range is refused`(_ text: String) {
        #expect(LongDecimal(text) == nil)
    }

    @Test func `a result beyond 308 digits and a division by zero fail`() throws {
        let great = try #require(LongDecimal("1e300"))
        #expect(throws: LongDecimal.ArithmeticFault.tooGreat) { try great * great }
        #expect(throws: LongDecimal.ArithmeticFault.divisionByZero) { try great / LongDecimal(0) }
        #expect(throws: LongDecimal.ArithmeticFault.divisionByZero) { try great % LongDecimal(0) }
        #expect(try (LongDecimal(1) / great / great).signum == 0)
    }

    @Test func `text with places has zeros at the end`() throws {
        #expect(try #require(LongDecimal("12.5")).text(places: 3) == "12.500")
        #expect(LongDecimal(7).text(places: 2) == "7.00")
    }

    @Test func `random operations agree with digits computed by hand`() throws {
        var random = SplitMix64(seed: 34)
        for _ in 0..<3_000 {
            let (a, b) = (LongDigits(&random), LongDigits(&random))
            let (x, y) = (try #require(LongDecimal(a.text)), try #require(LongDecimal(b.text)))
            #expect(try (x + y).description == a.adding(b).rounded, "\(a.text) + \(b.text)")
            #expect(try (x * y).description == a.multiplied(b).rounded, "\(a.text) * \(b.text)")
            #expect((x < y) == a.isLess(b), "\(a.text) < \(b.text)")
            // A quotient times the divisor is the dividend, up to one unit in the last place of the quotient.
            let back = try (x / y) * y - x
            #expect(try back.absolute <= x.absolute * #require(LongDecimal("1e-33")), "\(a.text) / \(b.text)")
        }
    }
}

/// A positive number as a list of digits, the lowest first, and its decimal places: schoolbook arithmetic.
private struct LongDigits {
    var digits: [Int]
    var places: Int

    init(digits: [Int], places: Int) { (self.digits, self.places) = (digits, places) }

    init(_ random: inout SplitMix64) {
        let count = Int.random(in: 1...34, using: &random)
        digits = (0..<count).map { _ in
            [0, 4, 5, 9, Int.random(in: 0...9, using: &random)].randomElement(using: &random)!
        }
        digits[count - 1] = Int.random(in: 1...9, using: &random)
        places = Int.random(in: 0...40, using: &random)
    }

    var text: String { digits.reversed().map(String.init).joined() + "e-\(places)" }

    private func raised(to places: Int) -> [Int] { Array(repeating: 0, count: places - self.places) + digits }

    func adding(_ other: LongDigits) -> LongDigits {
        let places = max(self.places, other.places)
        let (a, b) = (raised(to: places), other.raised(to: places))
        return LongDigits(
            digits: (0..<max(a.count, b.count)).map { (a.indices ~= $0 ? a[$0] : 0) + (b.indices ~= $0 ? b[$0] : 0) },
            places: places
        ).carried
    }

    func multiplied(_ other: LongDigits) -> LongDigits {
        var product = Array(repeating: 0, count: digits.count + other.digits.count)
        for (i, a) in digits.enumerated() { for (j, b) in other.digits.enumerated() { product[i + j] += a * b } }
        return LongDigits(digits: product, places: places + other.places).carried
    }

    func isLess(_ other: LongDigits) -> Bool {
        let places = max(self.places, other.places)
        let (a, b) = (raised(to: places), other.raised(to: places))
        let count = max(a.count, b.count)
        func padded(_ digits: [Int]) -> [Int] {
            Array((digits + Array(repeating: 0, count: count - digits.count)).reversed())
        }
        return padded(a).lexicographicallyPrecedes(padded(b))
    }

    private var carried: LongDigits {
        var result: [Int] = []
        var carry = 0
        for digit in digits {
            carry += digit
            result.append(carry % 10)
            carry /= 10
        }
        while carry > 0 {
            result.append(carry % 10)
            carry /= 10
        }
        return LongDigits(digits: result, places: places)
    }

    /// The number rounded to 34 digits, as text without trailing zeros.
    var rounded: String {
        var digits = digits
        var places = places
        while digits.last == 0 { digits.removeLast() }
        if digits.count > 34 {
            let drop = digits.count - 34
            let half = digits[drop - 1]
            let isAbove = half > 5 || half == 5 && (digits[..<(drop - 1)].contains { $0 != 0 } || digits[drop] % 2 == 1)
            digits.removeFirst(drop)
            places -= drop
            if isAbove {
                digits[0] += 1
                digits = LongDigits(digits: digits, places: 0).carried.digits
            }
        }
        while digits.first == 0 {
            digits.removeFirst()
            places -= 1
        }
        if places < 0 { digits = Array(repeating: 0, count: -places) + digits }
        let count = max(places, 0)
        digits += Array(repeating: 0, count: max(0, count + 1 - digits.count))
        let text = digits.reversed().map(String.init).joined()
        return count == 0 ? text : text.dropLast(count) + "." + text.suffix(count)
    }
}
