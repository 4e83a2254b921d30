/// A number in a document (RFC 8259 §6), before its conversion to a type.
@usableFromInline
struct NumberToken {
    /// The offsets of its first byte and the byte after its last.
    @usableFromInline let start: Int
    @usableFromInline let end: Int
    @usableFromInline let isNegative: Bool
    /// The significant digits, or nil if they exceed 64 bits.
    @usableFromInline let magnitude: UInt64?
    /// The power of ten that multiplies the digits.
    @usableFromInline let exponent: Int

    /// The exact number, or nil if it has no exact form.
    @usableFromInline var decimal: Decimal? {
        magnitude.flatMap { Decimal(isNegative: isNegative, magnitude: $0, exponent: exponent) }
    }
}

/// The digits of a number during reading. Trailing zeros are counted until a later digit makes them significant, so
/// `1.000…0` fits at any length.
struct DigitAccumulator {
    private(set) var magnitude: UInt64? = 0
    /// Zeros read but not yet part of `magnitude`.
    private(set) var zeros = 0

    mutating func append(_ digit: UInt8) {
        guard digit != 0 else {
            if magnitude != 0 { zeros += 1 }
            return
        }
        for _ in 0..<min(zeros, PowersOfTen.greatestExponent + 1) { shift(adding: 0) }
        zeros = 0
        shift(adding: digit)
    }

    private mutating func shift(adding digit: UInt8) {
        guard let old = magnitude else { return }
        let (product, isOver) = old.multipliedReportingOverflow(by: 10)
        let (sum, isOverToo) = product.addingReportingOverflow(UInt64(digit))
        magnitude = isOver || isOverToo ? nil : sum
    }
}

extension JSONReader {
    /// Reads a number in any notation.
    @usableFromInline
    mutating func number(_ expected: String) throws(JSONError) -> NumberToken {
        let first = next()
        let start = position
        guard first == UInt8(ascii: "-") || first.digit != nil else { throw mismatch(expected) }
        if first == UInt8(ascii: "-") { position += 1 }

        var digits = DigitAccumulator()
        var exponent = 0
        if byte == UInt8(ascii: "0") {
            position += 1
            guard byte.digit == nil else {
                throw unexpected("a fraction or the end of the number after a leading zero")
            }
        } else {
            try takeDigits { digits.append($0) }
        }
        if byte == UInt8(ascii: ".") {
            position += 1
            let fraction = position
            try takeDigits { digits.append($0) }
            exponent = fraction - position
        }
        exponent += digits.zeros
        if byte | 0x20 == UInt8(ascii: "e") {
            position += 1
            exponent += try takeExponent()
        }
        return NumberToken(
            start: start, end: position, isNegative: first == UInt8(ascii: "-"), magnitude: digits.magnitude,
            exponent: exponent)
    }

    private mutating func takeExponent() throws(JSONError) -> Int {
        let sign = byte
        if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { position += 1 }
        var exponent = 0
        // A document has fewer digits than this limit, so a greater exponent has the same effect.
        try takeDigits { exponent = min(exponent * 10 + Int($0), 1 << 40) }
        return sign == UInt8(ascii: "-") ? -exponent : exponent
    }

    /// Reads one or more digits.
    @inline(__always)
    private mutating func takeDigits(_ each: (UInt8) -> Void) throws(JSONError) {
        guard var digit = byte.digit else { throw unexpected("a digit") }
        while true {
            each(digit)
            position += 1
            guard let following = byte.digit else { return }
            digit = following
        }
    }
}

extension UInt8 {
    /// The value of an ASCII digit.
    @inlinable var digit: UInt8? {
        let value = self &- UInt8(ascii: "0")
        return value < 10 ? value : nil
    }
}
