/// The bytes of values in an order: two lists of values compare as the bytes of their places do.
///
/// Null comes before false, true, numbers, texts by code point, then all other values as equal ones. The bytes of one
/// value are never the beginning of those of another, so the bytes of a list are its values' one after another.
package struct PlaceBytes: Sendable {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Appends a value, so that greater values come first if `isFalling`.
    package mutating func append(_ value: JSON, isFalling: Bool = false) {
        let start = bytes.count
        switch value {
        case .null: bytes.append(0)
        case .bool(let truth): bytes.append(truth ? 2 : 1)
        case .number(let number): append(number)
        case .string(let text): append(text)
        case .array, .object: bytes.append(5)
        }
        guard isFalling else { return }
        for index in start..<bytes.count { bytes[index] = ~bytes[index] }
    }

    /// Appends the bytes of values, so that greater values come first.
    package mutating func append(falling other: PlaceBytes) {
        bytes += other.bytes.map { ~$0 }
    }

    /// Appends a number of 0 or more.
    package mutating func append(ordinal: Int) {
        append(word: UInt64(bitPattern: Int64(ordinal)) ^ 1 << 63)
    }

    /// The sign, the power of ten of the first digit, and the digits.
    private mutating func append(_ number: Decimal) {
        bytes.append(3)
        guard number.coefficient != 0 else { return bytes.append(1) }
        let isNegative = number.coefficient < 0
        var digits = number.coefficient.magnitude
        var power = number.exponent
        // All coefficients have as many digits, 19.
        var shift = 0
        while digits < 1_000_000_000_000_000_000 {
            digits *= 10
            shift += 1
        }
        power -= shift
        bytes.append(isNegative ? 0 : 2)
        let start = bytes.count
        let biased = UInt16(truncatingIfNeeded: power + 1 << 14)
        bytes.append(UInt8(truncatingIfNeeded: biased >> 8))
        bytes.append(UInt8(truncatingIfNeeded: biased))
        append(word: digits)
        guard isNegative else { return }
        for index in start..<bytes.count { bytes[index] = ~bytes[index] }
    }

    private mutating func append(word: UInt64) {
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
        }
    }

    /// The UTF-8 of a text, in which 0 is written as 0 and 255, and two zeros, which precede every continuation.
    private mutating func append(_ text: String) {
        bytes.append(4)
        for byte in text.utf8 {
            bytes.append(byte)
            if byte == 0 { bytes.append(0xFF) }
        }
        bytes.append(0)
        bytes.append(0)
    }
}
