extension JSONReader {
    /// Reads an integer in any notation: `100`, `1e2` and `100.0` are equal.
    @inlinable
    public mutating func int64() throws(JSONError) -> Int64 {
        if let short = shortInteger() { return short }
        let token = try number("a whole number")
        guard let value = token.decimal?.int64 else { throw unfit(token, "a whole number of 64 bits") }
        return value
    }

    /// Reads a non-negative integer.
    @inlinable
    public mutating func uint64() throws(JSONError) -> UInt64 {
        if let short = shortInteger(), short >= 0 { return UInt64(short) }
        let token = try number("a whole number of 0 or more")
        // Above the range of `Decimal`, only plain digits are accepted; 2⁶⁴-1 written as 1.8446744073709551615e19 is
        // refused.
        if !token.isNegative, token.exponent == 0, let magnitude = token.magnitude { return magnitude }
        guard let value = token.decimal?.int64, value >= 0 else { throw unfit(token, "a whole number of 0 or more") }
        return UInt64(value)
    }

    /// Reads a number exactly.
    @inlinable
    public mutating func decimal() throws(JSONError) -> Decimal {
        if let short = shortInteger() { return Decimal(short) }
        let token = try number("a number")
        guard let value = token.decimal else { throw JSONError(.numberNotExact, at: token.start) }
        return value
    }

    /// Reads a number as the nearest double; digits beyond a double's precision are rounded.
    public mutating func double() throws(JSONError) -> Double {
        let token = try number("a number")
        if let value = token.decimal?.double { return value }
        let text = StringToken(start: token.start, end: token.end, isPlain: true)
        guard let value = Double(plainText(text)), value.isFinite else { throw unfit(token, "a double") }
        return value
    }

    /// Reads an integer of up to 18 digits without fraction or exponent, the most frequent form. Returns nil and reads
    /// nothing for any other form.
    @inlinable
    mutating func shortInteger() -> Int64? {
        let isNegative = next() == UInt8(ascii: "-")
        let start = position + (isNegative ? 1 : 0)
        let end = min(bytes.count, start + 18)
        var place = start
        var value: Int64 = 0
        while place < end, let digit = bytes[place].digit {
            value = value &* 10 &+ Int64(digit)
            place += 1
        }
        guard place > start else { return nil }
        if place < bytes.count {
            let following = bytes[place]
            guard following != UInt8(ascii: "."), following | 0x20 != UInt8(ascii: "e"), following.digit == nil else {
                return nil
            }
        }
        guard place == start + 1 || bytes[start] != UInt8(ascii: "0") else { return nil }
        position = place
        return isNegative ? -value : value
    }

    @usableFromInline
    func unfit(_ token: NumberToken, _ type: String) -> JSONError {
        JSONError(.numberOutOfRange(type: type), at: token.start)
    }
}
