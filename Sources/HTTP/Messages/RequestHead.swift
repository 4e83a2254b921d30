import Glibc

/// The head of a request: the positions of its parts in the bytes that it was parsed from. One object serves many
/// requests, so parsing a head needs no allocation.
package final class RequestHead {
    /// The greatest length of a head that is compared with the next one.
    static let rememberedBytesLimit = 1_024

    /// The size limits.
    let limits: ServerLimits
    /// The request method.
    package internal(set) var method = Method.other
    /// The position of the method.
    var methodName = 0..<0
    /// The position of path and query, without a preceding scheme and authority.
    package internal(set) var target = 0..<0
    /// The position of the authority in an absolute target.
    var authority: Range<Int>?
    /// The minor version: the number after the dot of `HTTP/1.`.
    package internal(set) var minorVersion = 1
    /// The position of the first field.
    var fieldsStart = 0
    var fieldCount = 0
    /// The position of the first value of each known field.
    private var values = InlineArray<33, Range<Int>>(repeating: 0..<0)
    /// One bit for each known field that is present.
    private var known: UInt64 = 0
    /// One bit for each known field that occurs more than once.
    private var repeated: UInt64 = 0
    /// The length in bytes, or 0 if the head was not parsed to its end.
    package internal(set) var length = 0
    /// A copy of the first `length` bytes that this head was parsed from.
    private let written = UnsafeMutableRawBufferPointer.allocate(byteCount: rememberedBytesLimit, alignment: 16)

    /// The framing of the body.
    package internal(set) var framing = Framing.none
    /// The content coding that the client wants.
    package internal(set) var coding = ContentCoding.identity
    /// True while a handler uses this head. Another connection then needs a head of its own.
    var isLent = false
    /// A value that the handler derived from this head. It is removed when the head changes.
    package var conclusion: AnyObject?
    /// True if the connection can carry another request (RFC 9112, section 9.3).
    package internal(set) var isPersistent = true
    /// True if the client waits for 100 (Continue) before it sends the body.
    var expectsContinue = false

    /// Creates an empty head to parse into.
    package init(_ limits: ServerLimits) {
        self.limits = limits
    }

    deinit {
        written.deallocate()
    }

    func clear() {
        method = .other
        authority = nil
        fieldCount = 0
        known = 0
        repeated = 0
        length = 0
        conclusion = nil
    }

    // MARK: Repeated heads

    /// Returns true if `bytes` begin with the exact bytes that this head was parsed from. The head is then valid as it
    /// is: its contents depend on the bytes alone.
    @inline(__always)
    func isAgain(at bytes: Span<UInt8>) -> Bool {
        guard length > 0, length <= Self.rememberedBytesLimit, length <= bytes.count else { return false }
        return bytes.withUnsafeBytes { bytes in
            // The comparison always covers all bytes: they can contain a token, and the duration must not reveal a
            // correct prefix.
            var differences = SIMD4<UInt64>()
            var position = 0
            while position &+ 32 <= length {
                differences |=
                    bytes.loadUnaligned(fromByteOffset: position, as: SIMD4<UInt64>.self)
                    ^ written.loadUnaligned(fromByteOffset: position, as: SIMD4<UInt64>.self)
                position &+= 32
            }
            var difference: UInt8 = 0
            while position < length {
                difference |= bytes[position] ^ written[position]
                position &+= 1
            }
            return difference == 0 && differences == SIMD4<UInt64>()
        }
    }

    /// Stores a copy of the bytes that this head was parsed from.
    func remember(_ bytes: Span<UInt8>) {
        guard length <= Self.rememberedBytesLimit else { return }
        bytes.withUnsafeBufferPointer { written.baseAddress!.copyMemory(from: $0.baseAddress!, byteCount: length) }
    }

    // MARK: Fields

    @inline(__always)
    func add(_ field: KnownField, _ value: Range<Int>) {
        let bit: UInt64 = 1 &<< UInt64(field.rawValue)
        if known & bit == 0 {
            known |= bit
            values[field.rawValue] = value
        } else {
            repeated |= bit
        }
    }

    /// Returns the position of the first value of a field, or nil if the field is absent.
    @inline(__always)
    package func value(of name: KnownField) -> Range<Int>? {
        has(name) ? values[name.rawValue] : nil
    }

    /// Returns true if the field is present.
    @inline(__always)
    package func has(_ name: KnownField) -> Bool {
        known & 1 &<< UInt64(name.rawValue) != 0
    }

    /// Returns true if the field occurs more than once.
    package func isRepeated(_ name: KnownField) -> Bool {
        repeated & 1 &<< UInt64(name.rawValue) != 0
    }

    /// Returns the field's value as text. Several fields of one name become one list (RFC 9110, section 5.3).
    package func text(of name: KnownField, in bytes: Span<UInt8>) -> String? {
        guard let first = value(of: name) else { return nil }
        guard isRepeated(name) else { return Octet.text(bytes, first) }
        var texts: [String] = []
        for field in fields(in: bytes) where field.known == name { texts.append(Octet.text(bytes, field.value)) }
        return texts.joined(separator: ", ")
    }

    /// Returns all fields in order. They are parsed again, because few requests need them.
    func fields(in bytes: Span<UInt8>) -> [HeaderField] {
        var fields: [HeaderField] = []
        var position = fieldsStart
        for _ in 0..<fieldCount {
            // Parsing succeeded before.
            guard let field = try? HeaderField(bytes, at: position) else { break }
            fields.append(field)
            position = field.end
        }
        return fields
    }
}

/// The framing of a body (RFC 9112, section 6).
package enum Framing: Hashable, Sendable {
    /// No body.
    case none
    /// A body of a known length.
    case length(Int)
    /// A chunked body.
    case chunks
}
