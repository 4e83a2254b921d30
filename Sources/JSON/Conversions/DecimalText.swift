extension Decimal: LosslessStringConvertible {
    /// The number as JSON text: `2350`, `12.5`.
    public var description: String {
        var writer = JSONWriter()
        writer.decimal(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Parses a number in JSON syntax; nil if the text is not a number or has no exact form.
    public init?(_ text: String) {
        // The reader would skip whitespace, but a number contains none.
        guard !text.utf8.contains(where: { $0 <= 0x20 }) else { return nil }
        do {
            try self.init(parsing: Array(text.utf8))
        } catch {
            return nil
        }
    }

    /// Creates the shortest decimal that converts back to the same double; nil if the double is not finite.
    public init?(_ value: Double) {
        // Conversion to Int64 truncates the fraction. (`rounded()` and `Int64(exactly:)` would need the C math library,
        // which is linked only if a module imports it.)
        if abs(value) < 0x1p63, Double(Int64(value)) == value {
            self.init(Int64(value))
        } else if let short = Self.shortFraction(value) {
            self = short
        } else if value.isFinite {
            // Swift's description of a double is the shortest text that round-trips, and it is valid JSON.
            self.init(value.description)
        } else {
            return nil
        }
    }

    /// Returns a double with up to six decimal places without going through text.
    ///
    /// The digits (at most 15) and the power of ten are exact doubles, so their quotient is the double nearest to this
    /// decimal. No two decimals of 15 digits share a nearest double.
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
