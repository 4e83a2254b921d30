/// An intermediate result of two 64-bit coefficients, before it is narrowed to one.
struct WideDecimal {
    var coefficient: Int128
    var exponent: Int

    /// Returns the exact value as a decimal.
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

    /// Returns the nearest value with at most `places` decimal places.
    func rounded(places: Int, _ rule: FloatingPointRoundingRule) -> WideDecimal {
        precondition(places >= 0, "the number of decimal places must be 0 or more")
        let surplus = -exponent - places
        guard surplus > 0 else { return self }
        // Beyond 38 digits the remainder is less than half a unit for any coefficient, so 39 stands for every greater
        // surplus.
        var quotient = coefficient.magnitude
        var rest = UInt128(0)
        var unit = UInt128(1)
        for _ in 0..<min(surplus, 39) {
            let (tenth, digit) = quotient.quotientAndRemainder(dividingBy: 10)
            (quotient, rest) = (tenth, rest + digit * unit)
            if unit < UInt128.max / 10 { unit *= 10 }
        }
        if rest > 0, goesUp(odd: quotient & 1 == 1, half: surplus > 38 ? .below : Half(rest, of: unit), rule) {
            quotient += 1
        }
        return WideDecimal(coefficient: coefficient < 0 ? -Int128(quotient) : Int128(quotient), exponent: -places)
    }

    /// The removed digits compared with half a unit.
    private enum Half {
        case below, exact, above

        init(_ rest: UInt128, of unit: UInt128) {
            self = rest < unit / 2 ? .below : rest == unit / 2 ? .exact : .above
        }
    }

    /// True if rounding adds one unit to the magnitude.
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

extension WideDecimal {
    /// Returns the same value without trailing zeros.
    func stripped() -> WideDecimal {
        var value = self
        while value.coefficient != 0, value.coefficient % 10 == 0 {
            value.coefficient /= 10
            value.exponent += 1
        }
        return value
    }

    /// Returns the coefficient at a lower exponent. If more than 19 zeros must be appended, the sum has more digits
    /// than a coefficient, because the lowest digit of the other number is not zero.
    func lowered(to exponent: Int) throws(Decimal.Overflow) -> Int128 {
        guard self.exponent - exponent <= PowersOfTen.greatestExponent else { throw Decimal.Overflow() }
        return coefficient * Int128(PowersOfTen.words[self.exponent - exponent])
    }
}
