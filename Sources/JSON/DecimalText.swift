extension Decimal: LosslessStringConvertible {
    /// The number as JSON writes it: `2350`, `12.5`.
    public var description: String {
        var writer = JSONWriter()
        writer.decimal(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The number that a text is, spelt as in JSON; nil where it is none, or none that can be kept exactly.
    public init?(_ text: String) {
        // Whitespace, which the reader would pass over, is no part of a number.
        guard !text.utf8.contains(where: { $0 <= 0x20 }) else { return nil }
        do {
            try self.init(parsing: Array(text.utf8))
        } catch {
            return nil
        }
    }

    /// The shortest decimal that a double can be read back from, nil where it is not finite.
    public init?(_ value: Double) {
        // Conversion to Int64 cuts the fraction off. (`rounded()` and `Int64(exactly:)` would need the C library's mathematics, which is
        // linked only where somebody imports it.)
        if abs(value) < 0x1p63, Double(Int64(value)) == value {
            self.init(Int64(value))
        } else if let short = Self.shortFraction(value) {
            self = short
        } else if value.isFinite {
            // Shortest round-trip is what Swift's own description is, and JSON's grammar has room for it.
            self.init(value.description)
        } else {
            return nil
        }
    }

    /// A double with up to six places, told without text. As the digits (15 at most) and the power of ten are exact doubles, their quotient
    /// is the double next to this decimal; and no two decimals of 15 digits are next to the same one.
    private static func shortFraction(_ value: Double) -> Decimal? {
        for places in 1...6 {
            let scaled = abs(value) * PowersOfTen.doubles[places]
            guard scaled < 1e15 else { return nil }
            let digits = UInt64(scaled + 0.5)
            if Double(digits) / PowersOfTen.doubles[places] == abs(value) {
                return Decimal(isNegative: value < 0, magnitude: digits, exponent: -places)
            }
        }
        return nil
    }
}
