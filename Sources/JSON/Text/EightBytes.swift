/// Eight bytes of text in one word, examined together.
@usableFromInline
struct EightBytes {
    @usableFromInline let word: UInt64

    /// Creates a word from eight bytes in memory order, the first byte lowest.
    @inlinable
    init(_ word: UInt64) { self.word = UInt64(littleEndian: word) }

    /// True if a byte is not ASCII.
    @inlinable var hasNonASCII: Bool { word & 0x8080_8080_8080_8080 != 0 }

    /// The number of bytes before the first one that a JSON string must escape (RFC 8259 §7): a quotation mark, a
    /// backslash or a control character. Eight if there is none.
    ///
    /// A borrow in the subtractions can set only marks above a correct mark, so the lowest mark is correct.
    @inlinable var plainCount: Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ (ones &* 0x22)
        let backslashes = word ^ (ones &* 0x5C)
        let marks = (word &- ones &* 0x20) & ~word | (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes
        return (marks & (ones &* 0x80)).trailingZeroBitCount / 8
    }
}

extension UInt8 {
    /// True if a JSON string must escape this byte.
    @inlinable var isMarkedInStrings: Bool { self < 0x20 || self == 0x22 || self == 0x5C }
}
