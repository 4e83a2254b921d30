/// What bytes may stand where in a message (RFC 9110, section 5.6).
enum Octet {
    static let carriageReturn = UInt8(ascii: "\r")
    static let lineFeed = UInt8(ascii: "\n")
    static let space = UInt8(ascii: " ")
    static let tab = UInt8(ascii: "\t")

    private static let tokens: [Bool] = (0...255).map { (byte: UInt8) in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// Whether a byte may stand in a token.
    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool { tokens[Int(byte)] }

    /// Whether a byte may stand in the value of a field: what can be seen, spaces, and bytes beyond ASCII.
    @inline(__always)
    static func isContent(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == tab }

    /// What a hexadecimal digit stands for.
    @inline(__always)
    static func hexValue(_ byte: UInt8) -> Int? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(byte - UInt8(ascii: "a")) + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(byte - UInt8(ascii: "A")) + 10
        default: nil
        }
    }

    /// Whether some bytes are a word, letter by letter.
    static func areExactly(_ word: StaticString, _ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        word.withUTF8Buffer { word in
            guard word.count == range.count else { return false }
            for index in 0..<word.count where bytes[range.lowerBound + index] != word[index] { return false }
            return true
        }
    }

    /// Whether some bytes, none of them a control character, are a word, whatever the size of its letters.
    static func are(_ word: StaticString, _ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        word.withUTF8Buffer { word in
            guard word.count == range.count else { return false }
            for index in 0..<word.count where bytes[range.lowerBound + index] | 0x20 != word[index] | 0x20 { return false }
            return true
        }
    }

    /// The text of some bytes.
    static func text(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        String(unsafeUninitializedCapacity: range.count) { buffer in
            for index in 0..<range.count { buffer[index] = bytes[range.lowerBound + index] }
            return range.count
        }
    }
}
