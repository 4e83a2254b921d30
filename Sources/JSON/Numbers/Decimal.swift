/// An exact decimal number: a 64-bit coefficient times a power of ten.
///
/// Each value has one form, so equality and hashing compare the two stored numbers. The form is
/// - for an integer that fits 64 bits: the integer itself, with exponent 0;
/// - for any other value: a coefficient without trailing zeros. The exponent is below 0 for a fraction and above 0
///   beyond 64 bits.
///
/// A value with more than 18 or 19 significant digits, or beyond the range of a double, has no such form. Its
/// initializer fails, and arithmetic throws `Overflow`. Every finite `Double` has a `Decimal` and converts back bit for
/// bit, except that zero loses its sign.
@frozen
public struct Decimal: Hashable, Sendable {
    /// The result has no exact form: it needs more digits than 64 bits hold, or exceeds the range of a double.
    public struct Overflow: Error, Hashable, CustomStringConvertible {
        @inlinable init() {}
        /// The failure, with advice.
        public var description: String { "the exact result has too many digits; round one of the numbers first" }
    }

    /// The permitted exponents: the greatest doubles need 308, the least, with 17 digits, -340.
    @usableFromInline static let exponents = -350...308

    /// The signed digits.
    @usableFromInline package let coefficient: Int64
    @usableFromInline let power: Int16

    /// The power of ten that multiplies the coefficient.
    @inlinable package var exponent: Int { Int(power) }

    /// Creates an integer.
    @inlinable
    public init(_ value: Int64) {
        coefficient = value
        power = 0
    }

    /// Creates an integer.
    @inlinable
    public init(_ value: Int) {
        self.init(Int64(value))
    }

    /// Creates `coefficient` × 10^`exponent`.
    public init(_ coefficient: Int64, exponent: Int) throws(Overflow) {
        guard let value = Self(isNegative: coefficient < 0, magnitude: coefficient.magnitude, exponent: exponent) else {
            throw Overflow()
        }
        self = value
    }

    /// Creates the value's one form, or nil if it has none.
    @inlinable
    init?(isNegative: Bool, magnitude: UInt64, exponent: Int) {
        let limit = UInt64(Int64.max) + (isNegative ? 1 : 0)
        var magnitude = magnitude
        var exponent = magnitude == 0 ? 0 : exponent
        if exponent != 0 || magnitude > limit {
            if exponent > 0, exponent < PowersOfTen.greatestExponent {
                let (product, overflow) = magnitude.multipliedReportingOverflow(by: PowersOfTen.words[exponent])
                if !overflow, product <= limit { (magnitude, exponent) = (product, 0) }
            }
            while exponent < 0 || exponent > 0 || magnitude > limit {
                let (tenth, digit) = magnitude.quotientAndRemainder(dividingBy: 10)
                guard digit == 0 else { break }
                (magnitude, exponent) = (tenth, exponent + 1)
            }
            guard magnitude <= limit, Self.exponents.contains(exponent), Self.isFinite(magnitude, exponent) else {
                return nil
            }
        }
        coefficient = isNegative ? 0 &- Int64(truncatingIfNeeded: magnitude) : Int64(truncatingIfNeeded: magnitude)
        power = Int16(truncatingIfNeeded: exponent)
    }

    /// True if a finite double approximates the value, so that an expression cannot turn an accepted number into
    /// infinity.
    @usableFromInline
    static func isFinite(_ magnitude: UInt64, _ exponent: Int) -> Bool {
        // 10^(308-19) times any coefficient is below the greatest double.
        guard exponent > 308 - PowersOfTen.greatestExponent else { return true }
        let digits = magnitude.decimalDigits
        guard digits + exponent == 309 else { return digits + exponent < 309 }
        // The greatest double is 17976931348623157 × 10^292.
        let least = UInt64(17_976_931_348_623_157)
        return digits <= 17
            ? magnitude * PowersOfTen.words[17 - digits] <= least : magnitude / PowersOfTen.words[digits - 17] < least
    }

    /// The value as an integer, or nil if it has a fraction or does not fit.
    @inlinable public var int64: Int64? { power == 0 ? coefficient : nil }

    /// The nearest double.
    public var double: Double {
        if power == 0 { return Double(coefficient) }
        // Both operands are exact, so one division or multiplication rounds once, to the nearest double.
        if coefficient.magnitude < 1 << 53, abs(exponent) <= PowersOfTen.greatestExactDouble {
            let scale = PowersOfTen.doubles[abs(exponent)]
            return exponent < 0 ? Double(coefficient) / scale : Double(coefficient) * scale
        }
        // `Double` parses the description of every `Decimal`.
        return Double(description)!
    }

    /// Returns the negated number.
    public static prefix func - (value: Decimal) throws(Overflow) -> Decimal {
        try Decimal(0) - value
    }
}

extension Decimal: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    /// Creates an integer.
    @inlinable
    public init(integerLiteral value: Int64) { self.init(value) }

    /// Creates a number with up to 15 digits in all. Write a longer one as text, `Decimal("…")`, because the compiler
    /// passes a double here.
    public init(floatLiteral value: Double) {
        guard let decimal = Decimal(value) else { preconditionFailure("the literal is not finite") }
        self = decimal
    }
}

extension UInt64 {
    /// The number of digits in base ten; 1 for zero.
    @usableFromInline var decimalDigits: Int {
        // log10(2) is about 1233/4096; for 64 bits the estimate is right or one too low.
        let estimate = ((bitWidth - leadingZeroBitCount) * 1233) >> 12
        return Swift.max(
            1, estimate + (estimate <= PowersOfTen.greatestExponent && self >= PowersOfTen.words[estimate] ? 1 : 0))
    }
}
