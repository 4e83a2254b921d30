/// A string in a document: the offsets of its content, between the quotation marks.
@usableFromInline
struct StringToken {
    @usableFromInline let start: Int
    @usableFromInline let end: Int
    /// True if the content is ASCII without escapes, so its bytes are its code units.
    @usableFromInline let isPlain: Bool

    @inlinable
    init(start: Int, end: Int, isPlain: Bool) {
        self.start = start
        self.end = end
        self.isPlain = isPlain
    }
}

extension JSONReader {
    /// Reads a string.
    @inlinable
    public mutating func string() throws(JSONError) -> String {
        guard next() == UInt8(ascii: "\"") else { throw mismatch("a string") }
        let token = try stringToken()
        return token.isPlain ? plainText(token) : try decodedText(token)
    }

    /// Finds the end of a string whose quotation mark is at the position. Escapes and Unicode are checked when the text
    /// is needed.
    @inlinable
    mutating func stringToken() throws(JSONError) -> StringToken {
        position += 1
        let start = position
        var isPlain = true
        while true {
            while position + 8 <= bytes.count {
                let eight = EightBytes(
                    unsafe bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt64.self))
                // These bytes may lie beyond the end of the string. The flag then costs only an unnecessary check.
                if eight.hasNonASCII { isPlain = false }
                let plainCount = eight.plainCount
                position += plainCount
                if plainCount < 8 { break }
            }
            var end = position
            while end < bytes.count {
                let byte = unsafe bytes[unchecked: end]
                if byte.isMarkedInStrings { break }
                if byte >= 0x80 { isPlain = false }
                end += 1
            }
            position = end
            guard position < bytes.count else { throw JSONError(.unexpectedEnd, at: bytes.count) }
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position += 1
                return StringToken(start: start, end: position - 1, isPlain: isPlain)
            case UInt8(ascii: "\\"):
                isPlain = false
                position += 2
            case let control:
                throw JSONError(.controlCharacter(control), at: position)
            }
        }
    }

    @inlinable
    func plainText(_ token: StringToken) -> String {
        unsafe bytes.extracting(token.start..<token.end).withUnsafeBufferPointer {
            unsafe String(decoding: $0, as: UTF8.self)
        }
    }

    /// Returns the text of a string that has escapes or characters beyond ASCII.
    @usableFromInline
    func decodedText(_ token: StringToken) throws(JSONError) -> String {
        let raw = bytes.extracting(token.start..<token.end)
        let text = unsafe raw.withUnsafeBufferPointer { unsafe String(validating: $0, as: UTF8.self) }
        guard let text else { throw JSONError(.invalidUTF8, at: token.start + Self.invalidOffset(in: raw)) }
        var hasEscape = false
        for index in raw.indices where raw[index] == UInt8(ascii: "\\") {
            hasEscape = true
            break
        }
        if !hasEscape { return text }
        var unescaper = Unescaper(reader: self, position: token.start, end: token.end)
        return try unescaper.text()
    }

    /// The offset of the first byte that begins no scalar value (Unicode 16, table 3-7). `UTF8Span` knows it, but needs iOS 26.
    /// Precondition: the bytes are not UTF-8.
    private static func invalidOffset(in bytes: Span<UInt8>) -> Int {
        var offset = 0
        while offset < bytes.count {
            let count: Int
            var second: ClosedRange<UInt8> = 0x80...0xBF
            switch bytes[offset] {
            case 0...0x7F: count = 1
            case 0xC2...0xDF: count = 2
            case 0xE0: (count, second) = (3, 0xA0...0xBF)
            case 0xED: (count, second) = (3, 0x80...0x9F)
            case 0xE1...0xEF: count = 3
            case 0xF0: (count, second) = (4, 0x90...0xBF)
            case 0xF4: (count, second) = (4, 0x80...0x8F)
            case 0xF1...0xF3: count = 4
            default: return offset
            }
            guard offset + count <= bytes.count else { return offset }
            for place in 1..<max(count, 1) {
                let range = place == 1 ? second : 0x80...0xBF
                guard range.contains(bytes[offset + place]) else { return offset }
            }
            offset += count
        }
        return offset
    }
}
