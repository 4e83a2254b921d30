import JSON
import Testing

@Suite struct DecimalTests {
    @Test(arguments: [
        ("0", 0, 0), ("-0", 0, 0), ("0.000", 0, 0), ("0e999", 0, 0), ("1", 1, 0), ("1.0", 1, 0), ("100", 100, 0),
        ("1e2", 100, 0),
        ("1.50", 15, -1),
        ("-12.5", -125, -1), ("12.50e1", 125, 0), ("1e18", 1_000_000_000_000_000_000, 0), ("1e19", 1, 19),
        ("1e20", 1, 20),
        ("12e20", 12, 20),
        ("120e19", 12, 20), ("9223372036854775807", .max, 0), ("-9223372036854775808", .min, 0),
        ("9223372036854775810", 922_337_203_685_477_581, 1),
        ("922337203685477580.7", .max, -1), ("-922337203685477580.8", .min, -1), ("0.1e-5", 1, -6), ("1000e-3", 1, 0),
        ("1.7976931348623157e308", 17_976_931_348_623_157, 292),
    ])
    func `each value has one form`(_ text: String, _ coefficient: Int64, _ exponent: Int) throws {
        let value = try #require(Decimal(text))
        #expect(value.coefficient == coefficient)
        #expect(value.exponent == exponent)
        #expect(try value == Decimal(coefficient, exponent: exponent))
        #expect(value.int64 == (exponent == 0 ? coefficient : nil))
    }

    @Test(arguments: [
        "", " 1", "1 ", "1e309", "1.8e308", "1.7976931348623159e308", "12345678901234567891", "9223372036854775808",
        "1e-400", "01", "x",
        "0x1", "1_0", "∞", "nan",
    ])
    func `a text without an exact form is not a decimal`(_ text: String) {
        #expect(Decimal(text) == nil)
    }

    @Test(arguments: [
        ("2350", "2350"), ("12.50", "12.5"), ("-0.05", "-0.05"), ("0.000001", "0.000001"), ("0.00000123", "0.00000123"),
        ("0.0000001", "1e-7"), ("0.00000012", "1.2e-7"),
        ("1e20", "100000000000000000000"), ("1e21", "1e+21"), ("123e20", "1.23e+22"), ("-1.5e-10", "-1.5e-10"),
        ("9223372036854775807", "9223372036854775807"),
        ("922337203685477580.7", "922337203685477580.7"), ("10.01", "10.01"), ("1.001", "1.001"), ("0", "0"),
        ("-9223372036854775808", "-9223372036854775808"), ("5e-324", "5e-324"),
    ])
    func `a number is written in one form, without an exponent in the range of money`(
        _ text: String, _ written: String
    ) throws {
        let value = try #require(Decimal(text))
        #expect(value.description == written)
        #expect(Decimal(written) == value)
    }

    @Test(arguments: [
        ("0.1", "0.2", "0.3", "-0.1", "0.02"), ("1", "0.5", "1.5", "0.5", "0.5"),
        ("2350", "0.9", "2350.9", "2349.1", "2115"),
        ("1e20", "-1e20", "0", "2e20", "-1e40"),
        ("-5", "5", "0", "-10", "-25"), ("0", "0.001", "0.001", "-0.001", "0"),
        ("1e18", "1e30", "1000000000001e18", "-999999999999e18", "1e48"),
        ("100", "0.25", "100.25", "99.75", "25"),
    ])
    func `sum, difference and product are exact`(
        _ left: String, _ right: String, _ sum: String, _ difference: String, _ product: String
    ) throws {
        let left = try #require(Decimal(left))
        let right = try #require(Decimal(right))
        #expect(try left + right == Decimal(sum))
        #expect(try right + left == Decimal(sum))
        #expect(try left - right == Decimal(difference))
        #expect(try left * right == Decimal(product))
    }

    @Test func `an overflow is thrown, never wrapped`() throws {
        let greatest = Decimal(Int64.max)
        #expect(throws: Decimal.Overflow.self) { try greatest + 1.5 }
        #expect(throws: Decimal.Overflow.self) { try Decimal(Int64.min) - 1 }
        #expect(throws: Decimal.Overflow.self) { try greatest * greatest }
        #expect(throws: Decimal.Overflow.self) { try Decimal(1, exponent: 300) + Decimal(1, exponent: -300) }
        #expect(throws: Decimal.Overflow.self) { try Decimal(1, exponent: 300) * Decimal(1, exponent: 300) }
        #expect(throws: Decimal.Overflow.self) { try Decimal(1, exponent: -300) * Decimal(1, exponent: -300) }
        #expect(try greatest + 3 == Decimal("9223372036854775810"))
        #expect(throws: Decimal.Overflow.self) { try -Decimal(Int64.min) }
        #expect(try -Decimal(5) == -5)
        #expect(
            try Decimal(Int64.max).multiplied(by: 0.123456789, places: 0) == 1_138_687_895_422_480_280,
            "rounded once, from the full product")
    }

    @Test(arguments: [
        ("2.5", 0, "2", "3", "2", "3"), ("3.5", 0, "4", "4", "3", "4"), ("-2.5", 0, "-2", "-3", "-3", "-2"),
        ("2.345", 2, "2.34", "2.35", "2.34", "2.35"),
        ("2.3451", 2, "2.35", "2.35", "2.34", "2.35"), ("0.004", 2, "0", "0", "0", "0.01"),
        ("9.999", 2, "10", "10", "9.99", "10"),
        ("1.5", 3, "1.5", "1.5", "1.5", "1.5"),
        ("1e-300", 2, "0", "0", "0", "0.01"), ("-1e-300", 2, "0", "0", "-0.01", "0"), ("7", 0, "7", "7", "7", "7"),
        (
            "922337203685477580.7", 0, "922337203685477581", "922337203685477581", "922337203685477580",
            "922337203685477581"
        ),
    ])
    func `rounding follows its rule`(
        _ text: String, _ places: Int, _ even: String, _ away: String, _ down: String, _ up: String
    ) throws {
        let value = try #require(Decimal(text))
        #expect(value.rounded(places: places) == Decimal(even))
        #expect(value.rounded(places: places, .toNearestOrAwayFromZero) == Decimal(away))
        #expect(value.rounded(places: places, .down) == Decimal(down))
        #expect(value.rounded(places: places, .up) == Decimal(up))
    }

    @Test func `order follows values, independent of their form`() throws {
        let rising = [
            "-1e300", "-1e20", "-9223372036854775808", "-10", "-9.99", "-0.1", "-1e-300", "0", "1e-300", "0.09", "0.1",
            "0.11", "1", "9.5",
            "10", "9223372036854775807", "1e19", "1e20", "1.1e20", "1e300",
        ]
        let values = try rising.map { try #require(Decimal($0)) }
        for (index, value) in values.enumerated() {
            for (other, another) in values.enumerated() {
                #expect((value < another) == (index < other), "\(value) \(another)")
            }
        }
    }

    @Test func `literals have their exact decimal values`() {
        #expect((12.5 as Decimal).description == "12.5")
        #expect((0.1 as Decimal).description == "0.1")
        #expect((1234567.891 as Decimal).description == "1234567.891")
        #expect((1.0 as Decimal) == 1)
        #expect(Set<Decimal>([1, 1.0]).count == 1)
    }

    @Test func `every finite double converts to a decimal and back`() throws {
        var random = SplitMix64(seed: 7)
        var doubles: [Double] = [
            0, 1, -1, 0.1, 0.1 + 0.2, 1 / 3, .pi, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
            .leastNormalMagnitude, 0x1p53, 0x1p60,
            0x1p63, 1e22, 1e23, -0x1p63,
        ]
        for _ in 0..<20_000 { doubles.append(Double(bitPattern: random.next())) }
        for _ in 0..<5000 {
            let unit = ([1, 10, 100, 1000, 1e6, 1e9] as [Double]).randomElement(using: &random) ?? 1
            doubles.append(Double(Int64.random(in: -1_000_000_000...1_000_000_000, using: &random)) / unit)
        }
        let changed = doubles.filter { double in
            guard double.isFinite else { return false }
            guard let decimal = Decimal(double), decimal.double == double, Decimal(decimal.description) == decimal
            else { return true }
            // The number of digits never exceeds that of Swift's shortest form.
            return abs(double) < 1e15
                && decimal.coefficient.magnitude.description.count > double.description.count(where: \.isNumber)
        }
        #expect(changed == [])
        #expect(Decimal(Double.nan) == nil)
        #expect(Decimal(Double.infinity) == nil)
        #expect(Decimal(-0.0) == 0)
    }
}
