/// A result under way: what two 64-bit coefficients make, before it is brought back to one.
struct WideDecimal {
    var coefficient: Int128
    var exponent: Int

    /// The exact value as a decimal.
    func narrowed() throws(Decimal.Overflow) -> Decimal {
        var magnitude = coefficient.magnitude
        var exponent = exponent
        while magnitude > UInt128(UInt64.max) {
            let (tenth, digit) = magnitude.quotientAndRemainder(dividingBy: 10)
            guard digit == 0 else { throw Decimal.Overflow() }
            (magnitude, exponent) = (tenth, exponent + 1)
        }
        let value = Decimal(isNegative: coefficient < 0, magnitude: UInt64(magnitude), exponent: exponent)
        guard let value else { throw Decimal.Overflow() }
        return value
    }

    /// The nearest value with at most so many decimal places.
    func rounded(places: Int, _ rule: FloatingPointRoundingRule) -> WideDecimal {
        precondition(places >= 0, "a number of decimal places is 0 or more")
        let surplus = -exponent - places
        guard surplus > 0 else { return self }
        // Beyond 38 digits everything is less than half a unit, however large the coefficient: 39 stands for them all.
        var quotient = coefficient.magnitude
        var rest = UInt128(0)
        var unit = UInt128(1)
        for _ in 0..<min(surplus, 39) {
            let (tenth, digit) = quotient.quotientAndRemainder(dividingBy: 10)
            (quotient, rest) = (tenth, rest + digit * unit)
            if unit < UInt128.max / 10 { unit *= 10 }
        }
        if rest > 0, goesUp(odd: quotient & 1 == 1, half: surplus > 38 ? .below : Half(rest, of: unit), rule) { quotient += 1 }
        return WideDecimal(coefficient: coefficient < 0 ? -Int128(quotient) : Int128(quotient), exponent: -places)
    }

    /// Where what is cut off lies in regard to half a unit.
    private enum Half {
        case below, exact, above

        init(_ rest: UInt128, of unit: UInt128) {
            self = rest < unit / 2 ? .below : rest == unit / 2 ? .exact : .above
        }
    }

    /// Whether the magnitude grows by one unit when something is cut off.
    private func goesUp(odd: Bool, half: Half, _ rule: FloatingPointRoundingRule) -> Bool {
        switch rule {
        case .toNearestOrEven: half == .above || half == .exact && odd
        case .toNearestOrAwayFromZero: half != .below
        case .up: coefficient > 0
        case .down: coefficient < 0
        case .towardZero: false
        case .awayFromZero: true
        @unknown default: half == .above || half == .exact && odd
        }
    }
}

extension Decimal {
    var wide: WideDecimal { WideDecimal(coefficient: Int128(coefficient), exponent: exponent) }

    /// The exact sum.
    public static func + (left: Decimal, right: Decimal) throws(Overflow) -> Decimal {
        if left.power == 0, right.power == 0 {
            let (sum, overflow) = left.coefficient.addingReportingOverflow(right.coefficient)
            if !overflow { return Decimal(sum) }
        }
        let (left, right, exponent) = try aligned(left, right)
        return try WideDecimal(coefficient: left + right, exponent: exponent).narrowed()
    }

    /// The exact difference.
    public static func - (left: Decimal, right: Decimal) throws(Overflow) -> Decimal {
        let (left, right, exponent) = try aligned(left, right)
        return try WideDecimal(coefficient: left - right, exponent: exponent).narrowed()
    }

    /// The exact product. Where it may have too many digits, `multiplied(by:places:)` rounds it in the same step.
    public static func * (left: Decimal, right: Decimal) throws(Overflow) -> Decimal {
        try product(left, right).narrowed()
    }

    /// The product, rounded once, to at most so many decimal places.
    public func multiplied(
        by other: Decimal, places: Int, _ rule: FloatingPointRoundingRule = .toNearestOrEven
    ) throws(Overflow) -> Decimal {
        try Self.product(self, other).rounded(places: places, rule).narrowed()
    }

    /// The nearest value with at most so many decimal places (0 or more); halves go to the even neighbour unless the rule says otherwise.
    public func rounded(places: Int, _ rule: FloatingPointRoundingRule = .toNearestOrEven) -> Decimal {
        guard exponent < -places else { return self }
        let value = wide.rounded(places: places, rule)
        // A digit less leaves room for the carry, so there always is such a value.
        return Decimal(isNegative: value.coefficient < 0, magnitude: UInt64(value.coefficient.magnitude), exponent: value.exponent) ?? self
    }

    private static func product(_ left: Decimal, _ right: Decimal) -> WideDecimal {
        WideDecimal(coefficient: Int128(left.coefficient) * Int128(right.coefficient), exponent: left.exponent + right.exponent)
    }

    /// Both coefficients for the lower of the two exponents.
    private static func aligned(_ left: Decimal, _ right: Decimal) throws(Overflow) -> (Int128, Int128, exponent: Int) {
        if left.power == right.power { return (Int128(left.coefficient), Int128(right.coefficient), left.exponent) }
        if left.coefficient == 0 { return (0, Int128(right.coefficient), right.exponent) }
        if right.coefficient == 0 { return (Int128(left.coefficient), 0, left.exponent) }
        let (left, right) = (left.wide.stripped(), right.wide.stripped())
        let exponent = min(left.exponent, right.exponent)
        return (try left.lowered(to: exponent), try right.lowered(to: exponent), exponent)
    }
}

extension WideDecimal {
    /// The same value without trailing zeros.
    func stripped() -> WideDecimal {
        var value = self
        while value.coefficient != 0, value.coefficient % 10 == 0 {
            value.coefficient /= 10
            value.exponent += 1
        }
        return value
    }

    /// The coefficient for a lower exponent. More than 19 zeros to append mean more digits in the sum than a coefficient has: the lowest
    /// digit of the other number is not zero, and it stays.
    func lowered(to exponent: Int) throws(Decimal.Overflow) -> Int128 {
        guard self.exponent - exponent <= PowersOfTen.greatestExponent else { throw Decimal.Overflow() }
        return coefficient * Int128(PowersOfTen.words[self.exponent - exponent])
    }
}

extension Decimal: Comparable {
    /// Whether the left value is the lesser.
    public static func < (left: Decimal, right: Decimal) -> Bool {
        if left.power == right.power { return left.coefficient < right.coefficient }
        if left.coefficient.signum() != right.coefficient.signum() { return left.coefficient < right.coefficient }
        let isNegative = left.coefficient < 0
        let (leftTop, rightTop) = (left.top, right.top)
        if leftTop != rightTop { return (leftTop < rightTop) != isNegative }
        // With their first digits at the same place, the exponents are at most 18 apart.
        let exponent = min(left.exponent, right.exponent)
        return left.raised(from: exponent) < right.raised(from: exponent)
    }

    /// The place of the first digit.
    private var top: Int { coefficient.magnitude.decimalDigits + exponent }

    private func raised(from exponent: Int) -> Int128 {
        Int128(coefficient) * Int128(PowersOfTen.words[self.exponent - exponent])
    }
}
