/// Eight bytes of text, looked at together.
@usableFromInline
struct EightBytes {
    @usableFromInline let word: UInt64

    /// The eight bytes in the order they have in memory, the first one lowest.
    @inlinable
    init(_ word: UInt64) { self.word = UInt64(littleEndian: word) }

    /// Whether a byte is beyond ASCII.
    @inlinable var hasNonASCII: Bool { word & 0x8080_8080_8080_8080 != 0 }

    /// How many bytes come before the first that a JSON string cannot hold as it is (RFC 8259 §7): a quotation mark, a backslash, or a
    /// control character. Eight if there is none.
    ///
    /// A borrow in the subtractions can only mark bytes above one that is rightly marked, so the lowest mark is right.
    @inlinable var plainCount: Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ (ones &* 0x22)
        let backslashes = word ^ (ones &* 0x5C)
        let marks = (word &- ones &* 0x20) & ~word | (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes
        return (marks & (ones &* 0x80)).trailingZeroBitCount / 8
    }
}

extension UInt8 {
    /// Whether a JSON string cannot hold this byte as it is.
    @inlinable var isMarkedInStrings: Bool { self < 0x20 || self == 0x22 || self == 0x5C }
}
