/// A decimal number of at most 34 significant digits: a coefficient times a power of ten.
///
/// Sums, differences and products are exact if they have at most 34 digits. A longer result, and a quotient without an
/// end, is rounded half to even. Each value has one form, without trailing zeros, so equality and hashing compare the
/// stored numbers. `Decimal` is the shorter type that JSON values hold; every `Decimal` has a `LongDecimal`.
package struct LongDecimal: Hashable, Sendable {
    /// The greatest number of significant digits.
    package static let digits = 34
    /// The greatest number of digits before the decimal point.
    package static let wholeDigits = 308
    /// The greatest number of decimal places. A result with more is rounded to them.
    package static let places = 350

    let isNegative: Bool
    let magnitude: UInt128
    let exponent: Int

    /// The failure of an operation: the result has more than 308 digits before the decimal point, or the divisor is 0.
    package enum ArithmeticFault: Error, Hashable, Sendable {
        /// The result has too many digits.
        case tooGreat
        /// The divisor is zero.
        case divisionByZero
    }

    /// Creates an integer.
    package init(_ value: Int64) {
        self.init(exactly: value < 0, UInt128(value.magnitude), 0)
    }

    /// Creates an integer.
    package init(unsigned value: UInt64) {
        self.init(exactly: false, UInt128(value), 0)
    }

    /// Creates the value of a shorter decimal.
    package init(short value: Decimal) {
        self.init(exactly: value.coefficient < 0, UInt128(value.coefficient.magnitude), value.exponent)
    }

    /// Creates a value that needs no rounding.
    private init(exactly isNegative: Bool, _ magnitude: UInt128, _ exponent: Int) {
        var (magnitude, exponent) = (magnitude, exponent)
        while magnitude != 0 {
            let (tenth, digit) = magnitude.quotientAndRemainder(dividingBy: 10)
            guard digit == 0 else { break }
            (magnitude, exponent) = (tenth, exponent + 1)
        }
        self.isNegative = isNegative && magnitude != 0
        self.magnitude = magnitude
        self.exponent = magnitude == 0 ? 0 : exponent
    }

    /// Creates the nearest value to `magnitude` × 10^`exponent`. `hasMore` states that the exact magnitude is greater
    /// by less than 1; then `magnitude` has more than 34 digits.
    init(
        rounding isNegative: Bool, _ magnitude: UInt128, _ exponent: Int, hasMore: Bool = false
    ) throws(ArithmeticFault) {
        let surplus = max(magnitude.decimalCount - Self.digits, -exponent - Self.places)
        var (magnitude, exponent) = (magnitude, exponent)
        if surplus > 0 {
            (magnitude, exponent) = (magnitude.rounded(dropping: surplus, hasMore: hasMore), exponent + surplus)
        }
        guard magnitude == 0 || magnitude.decimalCount + exponent <= Self.wholeDigits else { throw .tooGreat }
        self.init(exactly: isNegative, magnitude, exponent)
    }

    /// The value as a shorter decimal, or nil if it needs more digits than that has.
    package var decimal: Decimal? {
        UInt64(exactly: magnitude).flatMap { Decimal(isNegative: isNegative, magnitude: $0, exponent: exponent) }
    }

    /// The nearest double.
    package var double: Double { Double(description) ?? .nan }

    /// The integer part, or nil if it does not fit 64 bits.
    package var truncated: Int64? {
        var whole = magnitude
        if exponent > 0 {
            guard exponent < 20, magnitude.decimalCount + exponent < 20 else { return nil }
            whole *= .power(exponent)
        } else if exponent < 0 {
            whole = -exponent < 39 ? whole / .power(-exponent) : 0
        }
        return Int64(exactly: isNegative ? -Int128(whole) : Int128(whole))
    }

    /// The value as an integer, or nil if it has a fraction or does not fit 64 bits.
    package var int64: Int64? { exponent < 0 ? nil : truncated }

    /// -1, 0 or 1.
    package var signum: Int { magnitude == 0 ? 0 : isNegative ? -1 : 1 }

    /// The value without its sign.
    package var absolute: LongDecimal { LongDecimal(exactly: false, magnitude, exponent) }

    /// Returns the negated value.
    package static prefix func - (value: LongDecimal) -> LongDecimal {
        LongDecimal(exactly: !value.isNegative, value.magnitude, value.exponent)
    }

    /// Returns the nearest value with at most `places` decimal places, halves to even. Negative `places` round to tens,
    /// hundreds and so on.
    package func rounded(places: Int) throws(ArithmeticFault) -> LongDecimal {
        // Every value is less than half of 10^309, so fewer places give 0 too.
        let places = max(places, -Self.wholeDigits - 1)
        guard exponent < -places else { return self }
        let surplus = -places - exponent
        return try LongDecimal(rounding: isNegative, magnitude.rounded(dropping: surplus), -places)
    }
}

extension LongDecimal: Comparable {
    /// True if the left value is less than the right.
    package static func < (left: LongDecimal, right: LongDecimal) -> Bool {
        if left.signum != right.signum { return left.signum < right.signum }
        return left.isNegative ? right.isCloser(than: left) : left.isCloser(than: right)
    }

    /// True if this value is closer to 0 than another one of the same sign.
    private func isCloser(than other: LongDecimal) -> Bool {
        let (top, otherTop) = (magnitude.decimalCount + exponent, other.magnitude.decimalCount + other.exponent)
        guard top == otherTop else { return top < otherTop }
        // The first digits have the same decimal position, so the exponents differ by at most 33.
        let least = min(exponent, other.exponent)
        return magnitude * .power(exponent - least) < other.magnitude * .power(other.exponent - least)
    }
}

extension UInt128 {
    /// The powers of ten up to 10^38.
    private static let powers: [UInt128] = (0...38).reduce(into: []) { powers, place in
        powers.append(place == 0 ? 1 : powers[place - 1] * 10)
    }

    /// Returns 10^`exponent` for an exponent up to 38.
    static func power(_ exponent: Int) -> UInt128 { powers[exponent] }

    /// The number of digits in base ten; 1 for zero.
    var decimalCount: Int {
        // log10(2) is about 1233/4096; for 128 bits the estimate is right or one too low.
        let estimate = ((bitWidth - leadingZeroBitCount) * 1_233) >> 12
        return Swift.max(1, estimate + (self >= .power(Swift.min(estimate, 38)) ? 1 : 0))
    }

    /// Returns the quotient by 10^`count`, rounded half to even. `hasMore` states that the exact value is greater by
    /// less than 1.
    func rounded(dropping count: Int, hasMore: Bool = false) -> UInt128 {
        // A value has at most 39 digits, so it is less than half of 10^40.
        guard count < 39 else { return 0 }
        let unit = UInt128.power(count)
        let (quotient, rest) = quotientAndRemainder(dividingBy: unit)
        let half = unit / 2
        let goesUp = rest > half || rest == half && (hasMore || quotient & 1 == 1)
        return quotient + (goesUp ? 1 : 0)
    }
}
