/// A cursor in a JSON document that reads one value after another, each as the requested type.
///
/// It reads I-JSON (RFC 7493) strictly: it refuses syntax that RFC 8259 forbids, duplicate names and invalid Unicode.
/// It borrows its bytes and cannot outlive them. Each reading method reads exactly one value and the whitespace before
/// it.
public struct JSONReader: ~Escapable {
    /// The default limit for the nesting of arrays and objects.
    public static let depthLimit = 64
    /// The greatest limit that a caller can set, because reading a tree uses stack in proportion to depth.
    public static let greatestDepthLimit = 512

    @usableFromInline let bytes: Span<UInt8>
    @usableFromInline let limit: Int
    @usableFromInline var depth = 0
    @usableFromInline var position = 0

    /// Creates a reader at the start of a document, which may nest up to `depth` levels (at most 512).
    @inlinable
    @_lifetime(copy bytes)
    public init(_ bytes: Span<UInt8>, depth: Int = JSONReader.depthLimit) {
        self.bytes = bytes
        limit = min(depth, Self.greatestDepthLimit)
    }

    /// The byte at the position, or zero at the end of the document. Zero is never valid JSON, so a bounds check can
    /// wait until no syntax matches.
    @inlinable var byte: UInt8 {
        position < bytes.count ? bytes[position] : 0
    }

    /// Skips whitespace (RFC 8259 §2) and returns the first byte of the next value.
    @inlinable
    @inline(__always)
    mutating func next() -> UInt8 {
        let byte = byte
        return byte > 0x20 ? byte : afterWhitespace()
    }

    @usableFromInline
    mutating func afterWhitespace() -> UInt8 {
        while byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
        return byte
    }

    /// The offset of the next value, for errors about it.
    @inlinable package var offset: Int {
        mutating get {
            _ = next()
            return position
        }
    }

    /// Returns the kind of the next value.
    @inlinable
    public mutating func kind() throws(JSONError) -> JSON.Kind {
        switch next() {
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .boolean
        case UInt8(ascii: "n"): .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): .number
        default: throw unexpected("a value")
        }
    }

    /// Reads a value of a type.
    @inlinable
    public mutating func value<Value: JSONReadable>(_ type: Value.Type = Value.self) throws(JSONError) -> Value {
        try Value(from: &self)
    }

    /// Reads `null` if it comes next; returns false otherwise.
    @inlinable
    public mutating func null() throws(JSONError) -> Bool {
        guard next() == UInt8(ascii: "n") else { return false }
        try literal("null")
        return true
    }

    /// Reads `true` or `false`.
    @inlinable
    public mutating func bool() throws(JSONError) -> Bool {
        switch next() {
        case UInt8(ascii: "t"):
            try literal("true")
            return true
        case UInt8(ascii: "f"):
            try literal("false")
            return false
        default: throw mismatch("true or false")
        }
    }

    /// Reads a literal name (RFC 8259 §3), of which the first letter has been seen.
    @inlinable
    mutating func literal(_ name: StaticString) throws(JSONError) {
        for index in 0..<name.utf8CodeUnitCount {
            guard unsafe byte == name.utf8Start[index] else { throw unexpected("\(name)") }
            position += 1
        }
    }

    /// Checks that only whitespace remains.
    @inlinable
    public mutating func end() throws(JSONError) {
        _ = next()
        guard position == bytes.count else { throw unexpected("the end") }
    }

    /// Reads one byte of punctuation.
    @inlinable
    mutating func take(_ punctuation: UInt8) throws(JSONError) {
        guard next() == punctuation else { throw unexpected("'\(Character(Unicode.Scalar(punctuation)))'") }
        position += 1
    }

    /// Enters an array or object.
    @inlinable
    mutating func open() throws(JSONError) {
        guard depth < limit else { throw JSONError(.tooDeep(limit: limit), at: position) }
        depth += 1
        position += 1
    }

    /// Returns the error for an unexpected byte.
    @usableFromInline
    func unexpected(_ expected: String) -> JSONError {
        if position >= bytes.count { return JSONError(.unexpectedEnd, at: position) }
        if position == 0, bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF {
            return JSONError(.byteOrderMark, at: 0)
        }
        return JSONError(.unexpected(bytes[position], expected: expected), at: position)
    }

    /// Returns the error for a value of another kind, or for bytes that are not a value.
    @usableFromInline
    func mismatch(_ expected: String) -> JSONError {
        var copy = self
        do {
            return JSONError(.wrongKind(try copy.kind(), expected: expected), at: copy.position)
        } catch {
            return error
        }
    }
}

extension JSONReader {
    /// Reads a member's name and the colon after it.
    @inlinable
    mutating func name() throws(JSONError) -> StringToken {
        guard next() == UInt8(ascii: "\"") else { throw unexpected("a member's name in quotation marks") }
        let token = try stringToken()
        try take(UInt8(ascii: ":"))
        return token
    }

    /// Returns the text of a token.
    @inlinable
    func text(_ token: StringToken) throws(JSONError) -> String {
        token.isPlain ? plainText(token) : try decodedText(token)
    }

    /// Reads a name and its colon if they come next verbatim, which is the usual case in documents from a program.
    @inlinable
    mutating func takeName(_ name: String) -> Bool {
        guard next() == UInt8(ascii: "\""), bytes.count - position > name.utf8.count + 2 else { return false }
        let start = position + 1
        let length = name.utf8.count
        guard bytes[start + length] == UInt8(ascii: "\""), bytes[start + length + 1] == UInt8(ascii: ":") else {
            return false
        }
        var text = name
        let isSame = text.withUTF8 { utf8 in
            var index = 0
            // A name that needs escapes never occurs verbatim.
            while index < length, unsafe bytes[unchecked: start + index] == utf8[index],
                unsafe !utf8[index].isMarkedInStrings
            {
                index += 1
            }
            return index == length
        }
        guard isSame else { return false }
        position = start + length + 2
        return true
    }

    /// Reads the name at index `place` and its colon if they come next verbatim. Precondition: whitespace before the
    /// name is skipped.
    @inlinable
    mutating func take(_ place: Int, of names: MemberNames) -> Bool {
        guard place < names.texts.count else { return false }
        let start = names.bounds[place]
        let length = names.bounds[place + 1] - start
        guard length > 0, bytes.count - position >= length else { return false }
        let found = unsafe bytes.extracting(unchecked: position..<position + length)
        let isFound = unsafe names.written.withUnsafeBufferPointer { written in
            for index in 0..<length where unsafe found[unchecked: index] != written[start + index] { return false }
            return true
        }
        if isFound { position += length }
        return isFound
    }

    /// True if a token has the text of `name`.
    @inlinable
    func isName(_ token: StringToken, _ name: String) throws(JSONError) -> Bool {
        if !token.isPlain { return try CodeUnits(decodedText(token)) == CodeUnits(name) }
        let utf8 = name.utf8
        guard utf8.count == token.end - token.start else { return false }
        var place = token.start
        for unit in utf8 {
            guard bytes[place] == unit else { return false }
            place += 1
        }
        return true
    }
}
