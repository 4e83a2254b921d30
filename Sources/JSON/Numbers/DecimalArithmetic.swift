extension Decimal {
    var wide: WideDecimal { WideDecimal(coefficient: Int128(coefficient), exponent: exponent) }

    /// Returns the exact sum. Throws `Overflow` if it needs more than 18 or 19 digits, so a sum takes `try`; amounts of
    /// money do not with `Money`.
    public static func + (left: Decimal, right: Decimal) throws(Overflow) -> Decimal {
        if left.power == 0, right.power == 0 {
            let (sum, overflow) = left.coefficient.addingReportingOverflow(right.coefficient)
            if !overflow { return Decimal(sum) }
        }
        let (left, right, exponent) = try aligned(left, right)
        return try WideDecimal(coefficient: left + right, exponent: exponent).narrowed()
    }

    /// Returns the exact difference. Throws `Overflow` if it needs more than 18 or 19 digits, so a difference takes
    /// `try`; amounts of money do not with `Money`.
    public static func - (left: Decimal, right: Decimal) throws(Overflow) -> Decimal {
        let (left, right, exponent) = try aligned(left, right)
        return try WideDecimal(coefficient: left - right, exponent: exponent).narrowed()
    }

    /// Returns the exact product. Throws `Overflow` if it needs more than 18 or 19 digits. If it may, call
    /// `multiplied(by:places:)`, which also rounds.
    public static func * (left: Decimal, right: Decimal) throws(Overflow) -> Decimal {
        try product(left, right).narrowed()
    }

    /// Returns the product, rounded once, to at most `places` decimal places.
    public func multiplied(
        by other: Decimal, places: Int, _ rule: FloatingPointRoundingRule = .toNearestOrEven
    ) throws(Overflow) -> Decimal {
        try Self.product(self, other).rounded(places: places, rule).narrowed()
    }

    /// Returns the nearest value with at most `places` decimal places (`places >= 0`). Halves round to even unless
    /// `rule` differs.
    public func rounded(places: Int, _ rule: FloatingPointRoundingRule = .toNearestOrEven) -> Decimal {
        guard exponent < -places else { return self }
        let value = wide.rounded(places: places, rule)
        // Rounding removes at least one digit, which leaves room for the carry, so the value always exists.
        return Decimal(
            isNegative: value.coefficient < 0, magnitude: UInt64(value.coefficient.magnitude), exponent: value.exponent)
            ?? self
    }

    private static func product(_ left: Decimal, _ right: Decimal) -> WideDecimal {
        WideDecimal(
            coefficient: Int128(left.coefficient) * Int128(right.coefficient), exponent: left.exponent + right.exponent)
    }

    /// Returns both coefficients at the lower of the two exponents.
    private static func aligned(_ left: Decimal, _ right: Decimal) throws(Overflow) -> (Int128, Int128, exponent: Int) {
        if left.power == right.power { return (Int128(left.coefficient), Int128(right.coefficient), left.exponent) }
        if left.coefficient == 0 { return (0, Int128(right.coefficient), right.exponent) }
        if right.coefficient == 0 { return (Int128(left.coefficient), 0, left.exponent) }
        let (left, right) = (left.wide.stripped(), right.wide.stripped())
        let exponent = min(left.exponent, right.exponent)
        return (try left.lowered(to: exponent), try right.lowered(to: exponent), exponent)
    }
}

extension Decimal: Comparable {
    /// True if the left value is less than the right.
    public static func < (left: Decimal, right: Decimal) -> Bool {
        if left.power == right.power { return left.coefficient < right.coefficient }
        if left.coefficient.signum() != right.coefficient.signum() { return left.coefficient < right.coefficient }
        let isNegative = left.coefficient < 0
        let (leftTop, rightTop) = (left.top, right.top)
        if leftTop != rightTop { return (leftTop < rightTop) != isNegative }
        // The first digits have the same decimal position, so the exponents differ by at most 18.
        let exponent = min(left.exponent, right.exponent)
        return left.raised(from: exponent) < right.raised(from: exponent)
    }

    /// The decimal position of the first digit.
    private var top: Int { coefficient.magnitude.decimalDigits + exponent }

    private func raised(from exponent: Int) -> Int128 {
        Int128(coefficient) * Int128(PowersOfTen.words[self.exponent - exponent])
    }
}
