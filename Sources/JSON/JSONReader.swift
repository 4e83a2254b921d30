/// A place in a JSON document from which values are taken, one after another and each as the type that is asked for.
///
/// It reads I-JSON (RFC 7493) strictly: what RFC 8259 does not allow is refused, and so are names that come twice and broken Unicode. It
/// borrows its bytes and cannot outlive them. Each reading method takes exactly one value, with the whitespace before it.
public struct JSONReader: ~Escapable {
    /// How deep arrays and objects may lie within one another unless the caller says otherwise.
    public static let depthLimit = 64
    /// The most a caller can allow: reading a tree takes stack by depth.
    public static let greatestDepthLimit = 512

    @usableFromInline let bytes: Span<UInt8>
    @usableFromInline let limit: Int
    @usableFromInline var depth = 0
    @usableFromInline var position = 0

    /// A reader at the start of a document, which allows nesting up to `depth` (at most 512).
    @inlinable
    @_lifetime(copy bytes)
    public init(_ bytes: Span<UInt8>, depth: Int = JSONReader.depthLimit) {
        self.bytes = bytes
        limit = min(depth, Self.greatestDepthLimit)
    }

    /// The byte at the position. Zero at the end, which is fit for nothing in JSON, so that asking for the end can wait until nothing fits.
    @inlinable var byte: UInt8 {
        position < bytes.count ? bytes[position] : 0
    }

    /// The first byte of the next value, after whitespace (RFC 8259 §2).
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

    /// Where the next value starts, for errors about it.
    @inlinable public var offset: Int {
        mutating get {
            _ = next()
            return position
        }
    }

    /// What the next value is.
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

    /// Takes a value of a type.
    @inlinable
    public mutating func value<Value: JSONReadable>(_ type: Value.Type = Value.self) throws(JSONError) -> Value {
        try Value(from: &self)
    }

    /// Takes `null` if that is what comes next.
    @inlinable
    public mutating func null() throws(JSONError) -> Bool {
        guard next() == UInt8(ascii: "n") else { return false }
        try literal("null")
        return true
    }

    /// Takes `true` or `false`.
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

    /// Takes a name of the language (RFC 8259 §3) whose first letter is already known.
    @inlinable
    mutating func literal(_ name: StaticString) throws(JSONError) {
        for index in 0..<name.utf8CodeUnitCount {
            guard unsafe byte == name.utf8Start[index] else { throw unexpected("\(name)") }
            position += 1
        }
    }

    /// Makes sure that nothing but whitespace is left.
    @inlinable
    public mutating func end() throws(JSONError) {
        _ = next()
        guard position == bytes.count else { throw unexpected("the end") }
    }

    /// Takes one byte of punctuation.
    @inlinable
    mutating func take(_ punctuation: UInt8) throws(JSONError) {
        guard next() == punctuation else { throw unexpected("'\(Character(Unicode.Scalar(punctuation)))'") }
        position += 1
    }

    /// Goes one array or object deeper.
    @inlinable
    mutating func open() throws(JSONError) {
        guard depth < limit else { throw JSONError(.tooDeep(limit: limit), at: position) }
        depth += 1
        position += 1
    }

    /// The error for a byte that fits nothing.
    @usableFromInline
    func unexpected(_ expected: String) -> JSONError {
        if position >= bytes.count { return JSONError(.unexpectedEnd, at: position) }
        if position == 0, bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF {
            return JSONError(.byteOrderMark, at: 0)
        }
        return JSONError(.unexpected(bytes[position], expected: expected), at: position)
    }

    /// The error for a value of another kind, or for what is no value at all.
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
