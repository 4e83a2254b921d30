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
        do {
            let text = try UTF8Span(validating: raw)
            var hasEscape = false
            for index in raw.indices where raw[index] == UInt8(ascii: "\\") {
                hasEscape = true
                break
            }
            if !hasEscape { return String(copying: text) }
        } catch {
            throw JSONError(.invalidUTF8, at: token.start + error.byteOffsets.lowerBound)
        }
        var unescaper = Unescaper(reader: self, position: token.start, end: token.end)
        return try unescaper.text()
    }
}
