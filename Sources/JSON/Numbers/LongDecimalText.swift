extension LongDecimal: CustomStringConvertible {
    /// The number without an exponent and without trailing zeros: `2350`, `12.5`.
    package var description: String { text(places: 0) }

    /// The number without an exponent, with zeros up to `places` decimal places.
    package func text(places: Int) -> String {
        let digits = Array("\(magnitude)".utf8)
        let zero = UInt8(ascii: "0")
        let point = digits.count + exponent
        var text: [UInt8] = isNegative ? [UInt8(ascii: "-")] : []
        if point <= 0 {
            text.append(zero)
        } else {
            text += digits.prefix(point)
            text += Array(repeating: zero, count: max(0, exponent))
        }
        let fraction = Array(repeating: zero, count: max(0, -point)) + digits.dropFirst(max(0, point))
        if max(fraction.count, places) > 0 {
            text.append(UInt8(ascii: "."))
            text += fraction
            text += Array(repeating: zero, count: max(0, places - fraction.count))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Parses a number in JSON syntax. Digits beyond 34 are rounded half to even. Nil if the text is no number, or a
    /// number beyond the range.
    package init?(_ text: String) {
        var bytes = Array(text.utf8)[...]
        let isNegative = bytes.first == UInt8(ascii: "-")
        if isNegative { bytes.removeFirst() }
        var digits = LeadingDigits()
        let whole = bytes.prefix { $0.digit != nil }
        guard let first = whole.first, whole.count == 1 || first != UInt8(ascii: "0") else { return nil }
        for byte in whole { digits.append(byte &- UInt8(ascii: "0")) }
        bytes = bytes.dropFirst(whole.count)
        var exponent = 0
        if bytes.first == UInt8(ascii: ".") {
            let fraction = bytes.dropFirst().prefix { $0.digit != nil }
            guard !fraction.isEmpty else { return nil }
            for byte in fraction { digits.append(byte &- UInt8(ascii: "0")) }
            exponent = -fraction.count
            bytes = bytes.dropFirst(1 + fraction.count)
        }
        if let letter = bytes.first, letter | 0x20 == UInt8(ascii: "e") {
            bytes.removeFirst()
            let isBelow = bytes.first == UInt8(ascii: "-")
            if isBelow || bytes.first == UInt8(ascii: "+") { bytes.removeFirst() }
            guard !bytes.isEmpty, bytes.allSatisfy({ $0.digit != nil }) else { return nil }
            // A text has fewer digits than this limit, so a greater exponent has the same effect.
            let power = bytes.reduce(0) { min($0 * 10 + Int($1 &- UInt8(ascii: "0")), 1 << 40) }
            exponent += isBelow ? -power : power
            bytes = []
        }
        guard bytes.isEmpty else { return nil }
        do {
            try self.init(
                rounding: isNegative, digits.magnitude, digits.magnitude == 0 ? 0 : exponent + digits.dropped,
                hasMore: digits.hasMore)
        } catch {
            return nil
        }
    }
}

/// The first 37 significant digits of a number, and a mark if one of the others is not 0.
private struct LeadingDigits {
    private(set) var magnitude: UInt128 = 0
    private(set) var dropped = 0
    private(set) var hasMore = false

    mutating func append(_ digit: UInt8) {
        if magnitude < .power(36) {
            magnitude = magnitude * 10 + UInt128(digit)
        } else {
            dropped += 1
            hasMore = hasMore || digit != 0
        }
    }
}
