extension LongDecimal {
    /// Returns the sum.
    package static func + (left: LongDecimal, right: LongDecimal) throws(ArithmeticFault) -> LongDecimal {
        if left.magnitude == 0 { return right }
        if right.magnitude == 0 { return left }
        let (high, low) = left.exponent >= right.exponent ? (left, right) : (right, left)
        let distance = high.exponent - low.exponent
        let count = high.magnitude.decimalCount
        if count + distance <= 38 {
            let aligned = high.magnitude * .power(distance)
            if high.isNegative == low.isNegative {
                return try LongDecimal(rounding: high.isNegative, aligned + low.magnitude, low.exponent)
            }
            return aligned >= low.magnitude
                ? try LongDecimal(rounding: high.isNegative, aligned - low.magnitude, low.exponent)
                : try LongDecimal(rounding: low.isNegative, low.magnitude - aligned, low.exponent)
        }
        // The high number gets 37 digits. The digits of the low number below them matter only for rounding: any of
        // them that is not 0 makes the exact sum a little greater than the computed one.
        let shift = 37 - count
        let aligned = high.magnitude * .power(shift)
        let drop = distance - shift
        let (part, rest) =
            drop < 39 ? low.magnitude.quotientAndRemainder(dividingBy: .power(drop)) : (0, low.magnitude)
        let exponent = high.exponent - shift
        if high.isNegative == low.isNegative {
            return try LongDecimal(rounding: high.isNegative, aligned + part, exponent, hasMore: rest != 0)
        }
        return try LongDecimal(
            rounding: high.isNegative, aligned - part - (rest == 0 ? 0 : 1), exponent, hasMore: rest != 0)
    }

    /// Returns the difference.
    package static func - (left: LongDecimal, right: LongDecimal) throws(ArithmeticFault) -> LongDecimal {
        try left + -right
    }

    /// Returns the product.
    package static func * (left: LongDecimal, right: LongDecimal) throws(ArithmeticFault) -> LongDecimal {
        let isNegative = left.isNegative != right.isNegative
        let exponent = left.exponent + right.exponent
        let product = left.magnitude.multipliedFullWidth(by: right.magnitude)
        let (upper, lower) = UInt128.power(digits).dividingFullWidth(product)
        guard upper != 0 else { return try LongDecimal(rounding: isNegative, lower, exponent) }
        // The product is `upper` followed by the 34 digits of `lower`, of which as many are dropped as `upper` has.
        let drop = upper.decimalCount
        let (kept, rest) = lower.quotientAndRemainder(dividingBy: .power(drop))
        // One more digit than the result, and what is below it as a mark, so that the number is rounded once.
        let (digit, below) = rest.quotientAndRemainder(dividingBy: .power(drop - 1))
        let magnitude = (upper * .power(digits - drop) + kept) * 10 + digit
        return try LongDecimal(
            rounding: isNegative, magnitude, exponent + drop - 1, hasMore: below != 0)
    }

    /// Returns the quotient.
    package static func / (left: LongDecimal, right: LongDecimal) throws(ArithmeticFault) -> LongDecimal {
        guard right.magnitude != 0 else { throw .divisionByZero }
        guard left.magnitude != 0 else { return left }
        // Both get 34 digits, so the quotient of the dividend times 10^35 has 35 or 36.
        let (shift, otherShift) = (digits - left.magnitude.decimalCount, digits - right.magnitude.decimalCount)
        let dividend = (left.magnitude * .power(shift)).multipliedFullWidth(by: .power(digits + 1))
        let (quotient, rest) = (right.magnitude * .power(otherShift)).dividingFullWidth(dividend)
        let exponent = (left.exponent - shift - digits - 1) - (right.exponent - otherShift)
        return try LongDecimal(
            rounding: left.isNegative != right.isNegative, quotient, exponent, hasMore: rest != 0)
    }

    /// Returns the remainder of the division that truncates, which is exact and has the sign of the dividend.
    package static func % (left: LongDecimal, right: LongDecimal) throws(ArithmeticFault) -> LongDecimal {
        guard right.magnitude != 0 else { throw .divisionByZero }
        let distance = left.exponent - right.exponent
        if distance >= 0 {
            let rest = left.magnitude.remainder(times: distance, by: right.magnitude)
            return try LongDecimal(rounding: left.isNegative, rest, right.exponent)
        }
        // A divisor that is raised beyond 38 digits is greater than any dividend.
        guard right.magnitude.decimalCount - distance <= 38 else { return left }
        let divisor = right.magnitude * .power(-distance)
        return try LongDecimal(rounding: left.isNegative, left.magnitude % divisor, left.exponent)
    }
}

extension UInt128 {
    /// Returns the remainder of this number times 10^`exponent` by `divisor`, in O(log `exponent`) multiplications.
    fileprivate func remainder(times exponent: Int, by divisor: UInt128) -> UInt128 {
        func product(_ left: UInt128, _ right: UInt128) -> UInt128 {
            divisor.dividingFullWidth(left.multipliedFullWidth(by: right)).remainder
        }
        var result = self % divisor
        var base = 10 % divisor
        var rest = exponent
        while rest > 0 {
            if rest & 1 == 1 { result = product(result, base) }
            base = product(base, base)
            rest >>= 1
        }
        return result
    }
}
