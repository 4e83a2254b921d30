/// An identifier of 128 bits as text: unique, and greater than those made before it in the same space.
///
/// From the highest bit: the time in microseconds (53 bits), the version of the space (16), the number of identifiers
/// that the commit made before (13), and random bits (46). The text has 26 digits of Crockford's base 32, in lower case.
enum SortableID {
    private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    static func text(at time: Timestamp, version: Int, index: Int, random: UInt64) -> String {
        let mark = UInt128(UInt64(bitPattern: time.microseconds) & (1 << 53 - 1)) << 75
        let place = UInt128(UInt64(truncatingIfNeeded: version) & 0xFFFF) << 59 | UInt128(index & 0x1FFF) << 46
        return Self.text(mark | place | UInt128(random >> 18))
    }

    /// Returns the identifier of a queued action that its client knows: the time in microseconds (53 bits), the number of
    /// the identifiers of the request before it (11), and a mark (64).
    static func text(at time: Timestamp, index: Int, mark: UInt64) -> String {
        let time = UInt128(UInt64(bitPattern: time.microseconds) & (1 << 53 - 1)) << 75
        return text(time | UInt128(index & 0x7FF) << 64 | UInt128(mark))
    }

    /// Returns 128 bits as text.
    static func text(_ bits: UInt128) -> String {
        String(unsafeUninitializedCapacity: 26) { text in
            for digit in 0..<26 { text[25 - digit] = digits[Int(truncatingIfNeeded: bits >> (5 * digit) & 31)] }
            return 26
        }
    }
}
