/// A decimal number, exact: a 64-bit coefficient times a power of ten.
///
/// Each value has one form, so equality and hashing are those of the two stored numbers. That form is
/// - a whole number that fits 64 bits: itself, exponent 0;
/// - any other: without trailing zeros in the coefficient (exponent below 0 where there is a fraction, above 0 beyond 64 bits).
///
/// What has no such form (more than 18 or 19 significant digits, or beyond the range of a double) does not exist: making it fails,
/// computing it throws `Overflow`. Every `Double` that is finite has a `Decimal` and comes back from it bit for bit (zero without its
/// sign).
@frozen
public struct Decimal: Hashable, Sendable {
    /// A result that has no exact form: it needs more digits than 64 bits hold, or is beyond the range of a double.
    public struct Overflow: Error, Hashable, CustomStringConvertible {
        @inlinable init() {}
        /// What to do about it, in words.
        public var description: String { "the exact result has too many digits; round one of the numbers first" }
    }

    /// The exponents that can be: the greatest doubles need 308, the least, with 17 digits, -340.
    @usableFromInline static let exponents = -350...308

    /// The digits, with the sign.
    public let coefficient: Int64
    @usableFromInline let power: Int16

    /// The power of ten that the coefficient is multiplied with.
    @inlinable public var exponent: Int { Int(power) }

    /// A whole number.
    @inlinable
    public init(_ value: Int64) {
        coefficient = value
        power = 0
    }

    /// A whole number.
    @inlinable
    public init(_ value: Int) {
        self.init(Int64(value))
    }

    /// `coefficient` × 10^`exponent`.
    public init(_ coefficient: Int64, exponent: Int) throws(Overflow) {
        guard let value = Self(isNegative: coefficient < 0, magnitude: coefficient.magnitude, exponent: exponent) else { throw Overflow() }
        self = value
    }

    /// The value's one form, nil where it has none.
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
            guard magnitude <= limit, Self.exponents.contains(exponent), Self.isFinite(magnitude, exponent) else { return nil }
        }
        coefficient = isNegative ? 0 &- Int64(truncatingIfNeeded: magnitude) : Int64(truncatingIfNeeded: magnitude)
        power = Int16(truncatingIfNeeded: exponent)
    }

    /// Whether a double can come near: nothing that is read may turn into infinity later, in an expression.
    @usableFromInline
    static func isFinite(_ magnitude: UInt64, _ exponent: Int) -> Bool {
        // 10^(308-19) times any coefficient is below the greatest double.
        guard exponent > 308 - PowersOfTen.greatestExponent else { return true }
        let digits = magnitude.decimalDigits
        guard digits + exponent == 309 else { return digits + exponent < 309 }
        // The greatest double is 17976931348623157 × 10^292.
        let least = UInt64(17_976_931_348_623_157)
        return digits <= 17 ? magnitude * PowersOfTen.words[17 - digits] <= least : magnitude / PowersOfTen.words[digits - 17] < least
    }

    /// The value as a whole number, nil where it has a fraction or does not fit.
    @inlinable public var int64: Int64? { power == 0 ? coefficient : nil }

    /// The double next to the value.
    public var double: Double {
        if power == 0 { return Double(coefficient) }
        // With both exact, one division or multiplication rounds once, so it rounds right.
        if coefficient.magnitude < 1 << 53, abs(exponent) <= PowersOfTen.greatestExactDouble {
            let scale = PowersOfTen.doubles[abs(exponent)]
            return exponent < 0 ? Double(coefficient) / scale : Double(coefficient) * scale
        }
        // A number's own text is always one that Double reads.
        return Double(description)!
    }

    /// The number on the other side of zero.
    public static prefix func - (value: Decimal) throws(Overflow) -> Decimal {
        try Decimal(0) - value
    }
}

extension Decimal: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    /// A whole number.
    @inlinable
    public init(integerLiteral value: Int64) { self.init(value) }

    /// A number with up to 15 digits in all; one with more is written as text, `Decimal("…")`, since the compiler passes a double here.
    public init(floatLiteral value: Double) {
        guard let decimal = Decimal(value) else { preconditionFailure("a literal of the source is not finite") }
        self = decimal
    }
}

extension UInt64 {
    /// How many digits the number has in base ten; one for zero.
    @usableFromInline var decimalDigits: Int {
        // log10(2) is 1233/4096, near enough for 64 bits to be right or one too few.
        let estimate = ((bitWidth - leadingZeroBitCount) * 1233) >> 12
        return Swift.max(1, estimate + (estimate <= PowersOfTen.greatestExponent && self >= PowersOfTen.words[estimate] ? 1 : 0))
    }
}
