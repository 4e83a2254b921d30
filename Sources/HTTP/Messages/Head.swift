import Glibc

/// The head of a request: where its parts stand among the bytes that it was read from. One is used for many requests, so that reading one costs no
/// allocation.
public final class Head {
    /// The largest that is known again when it comes again.
    static let rememberedBytesLimit = 1_024

    /// How large it may be.
    let limits: Limits
    /// What is asked to be done.
    public internal(set) var method = Method.other
    /// Where the method is written.
    var methodName = 0..<0
    /// Where the path and the query are written, without a scheme and an authority that stand before them.
    public internal(set) var target = 0..<0
    /// The authority of a target that is written with one.
    var authority: Range<Int>?
    /// The number after the dot of `HTTP/1.`.
    public internal(set) var minorVersion = 1
    /// Where the first field begins, and how many there are.
    var fieldsStart = 0
    var fieldCount = 0
    /// Where the values of the fields that are known stand, the first ones of their names;
    private var values = InlineArray<20, Range<Int>>(repeating: 0..<0)
    /// which of them there are,
    private var known: UInt32 = 0
    /// and which come more than once.
    private var repeated: UInt32 = 0
    /// How many bytes it takes; 0 where it was not read to its end.
    public internal(set) var length = 0
    /// The bytes that it was read from, for as long as they are the same; the first `length` of them.
    private let written = UnsafeMutableRawBufferPointer.allocate(byteCount: rememberedBytesLimit, alignment: 16)

    /// How the body of the request is marked off.
    package internal(set) var framing = Framing.none
    /// Whether a request is being handled that has it. Meanwhile another connection may go on, and read a head of its own.
    var isLent = false
    /// For the handler: what it has concluded from this head. It is forgotten with it.
    public var conclusion: AnyObject?
    /// Whether the connection may be used for another request (RFC 9112, section 9.3).
    package internal(set) var isPersistent = true
    /// Whether the sender waits to be told to go on before it sends the body.
    var expectsContinue = false

    /// An empty one, to be read into.
    package init(_ limits: Limits) {
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

    // MARK: The same again

    /// Whether `bytes` begin with the very bytes that this head was read from. Then there is nothing to be read: what a head says depends on its bytes alone.
    @inline(__always)
    func isAgain(at bytes: Span<UInt8>) -> Bool {
        guard length > 0, length <= Self.rememberedBytesLimit, length <= bytes.count else { return false }
        return bytes.withUnsafeBytes { bytes in
            // All are compared however soon two differ: there may be a token among them, and time must not tell how much of it was right.
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

    /// Remembers the bytes that it was read from.
    func remember(_ bytes: Span<UInt8>) {
        guard length <= Self.rememberedBytesLimit else { return }
        bytes.withUnsafeBufferPointer { written.baseAddress!.copyMemory(from: $0.baseAddress!, byteCount: length) }
    }

    // MARK: Fields

    @inline(__always)
    func add(_ field: KnownField, _ value: Range<Int>) {
        let bit: UInt32 = 1 &<< UInt32(field.rawValue)
        if known & bit == 0 {
            known |= bit
            values[field.rawValue] = value
        } else {
            repeated |= bit
        }
    }

    /// Where the value of a field is written: of the first one of its name.
    @inline(__always)
    public func value(of name: KnownField) -> Range<Int>? {
        has(name) ? values[name.rawValue] : nil
    }

    /// Whether there is a field.
    @inline(__always)
    public func has(_ name: KnownField) -> Bool {
        known & 1 &<< UInt32(name.rawValue) != 0
    }

    /// Whether a field comes more than once.
    public func isRepeated(_ name: KnownField) -> Bool {
        repeated & 1 &<< UInt32(name.rawValue) != 0
    }

    /// The value of a field as text; several of its name as one list (RFC 9110, section 5.3).
    public func text(of name: KnownField, in bytes: Span<UInt8>) -> String? {
        guard let first = value(of: name) else { return nil }
        guard isRepeated(name) else { return Octet.text(bytes, first) }
        var texts: [String] = []
        for field in fields(in: bytes) where field.known == name { texts.append(Octet.text(bytes, field.value)) }
        return texts.joined(separator: ", ")
    }

    /// All fields, in their order. They are looked for again: nearly nobody asks.
    func fields(in bytes: Span<UInt8>) -> [Field] {
        var fields: [Field] = []
        var position = fieldsStart
        for _ in 0..<fieldCount {
            // They were all read before.
            guard let field = try? Field(bytes, at: position) else { break }
            fields.append(field)
            position = field.end
        }
        return fields
    }
}

/// How a body is marked off (RFC 9112, section 6).
package enum Framing: Hashable, Sendable {
    /// There is none.
    case none
    /// By its length.
    case length(Int)
    /// In chunks.
    case chunks
}
