/// The powers of ten that fit 64 bits, and those that a double holds exactly.
@usableFromInline
enum PowersOfTen {
    /// The exponent of the greatest power of ten below 2⁶⁴.
    @usableFromInline static let greatestExponent = 19
    /// The exponent of the greatest power of ten that a double holds exactly.
    @usableFromInline static let greatestExactDouble = 22

    /// 10ⁿ for n up to `greatestExponent`.
    @usableFromInline static let words: [UInt64] = (0...greatestExponent).map { exponent in
        (0..<exponent).reduce(1) { power, _ in power * 10 }
    }

    /// 10ⁿ for n up to `greatestExactDouble`.
    @usableFromInline static let doubles: [Double] = (0...greatestExactDouble).map { exponent in
        (0..<exponent).reduce(1) { power, _ in power * 10 }
    }
}
