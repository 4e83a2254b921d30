/// Classes of bytes in a message (RFC 9110, section 5.6), and comparisons of bytes with words.
enum Octet {
    static let carriageReturn = UInt8(ascii: "\r")
    static let lineFeed = UInt8(ascii: "\n")
    static let space = UInt8(ascii: " ")
    static let tab = UInt8(ascii: "\t")

    /// Returns true if a token can contain the byte.
    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool { OctetSet.token.contains(byte) }

    /// Returns true if a field value can contain the byte: visible characters, spaces, tabs and bytes beyond ASCII.
    @inline(__always)
    static func isContent(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == tab }

    /// Returns the value of a hexadecimal digit, or nil for another byte.
    @inline(__always)
    static func hexValue(_ byte: UInt8) -> Int? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(byte - UInt8(ascii: "a")) + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(byte - UInt8(ascii: "A")) + 10
        default: nil
        }
    }

    /// Returns true if the bytes at `range` equal `word`.
    static func areExactly(_ word: StaticString, _ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        word.withUTF8Buffer { word in
            guard word.count == range.count else { return false }
            for index in 0..<word.count where bytes[range.lowerBound + index] != word[index] { return false }
            return true
        }
    }

    /// Returns true if the bytes at `range` equal `word` without regard to case. Precondition: `word` has no upper-case
    /// letter.
    @inline(__always)
    static func are(_ word: StaticString, _ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        let count = word.utf8CodeUnitCount
        guard count == range.count, range.upperBound <= bytes.count else { return false }
        let word = UnsafeRawPointer(word.utf8Start)
        let bytes = bytes.bytes
        // The last load can overlap the one before it, so that no byte is left over.
        if count >= 8 {
            var place = 0
            while true {
                let expected = word.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                // In these words only letters have the bit 0x40; the bit 0x20 of a letter is its case.
                let sizes = (expected & 0x4040_4040_4040_4040) >> 1
                let found = bytes.unsafeLoadUnaligned(
                    fromUncheckedByteOffset: range.lowerBound + place, as: UInt64.self)
                if found | sizes != expected { return false }
                if place == count - 8 { return true }
                place = min(place + 8, count - 8)
            }
        }
        for place in 0..<count {
            let expected = word.load(fromByteOffset: place, as: UInt8.self)
            let found = bytes.unsafeLoad(fromUncheckedByteOffset: range.lowerBound + place, as: UInt8.self)
            if found | (expected & 0x40) >> 1 != expected { return false }
        }
        return true
    }

    /// Returns the bytes at `range` as text.
    static func text(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        let text = bytes.extracting(range)
        return String(unsafeUninitializedCapacity: text.count) { buffer in
            text.withUnsafeBufferPointer { _ = buffer.update(fromContentsOf: $0) }
            return text.count
        }
    }
}
