import Glibc

/// A request, all of which is there. It is only looked at while it is handled: its bytes are the buffer's.
public struct Request: ~Escapable, ~Copyable {
    /// Its head.
    public let head: RequestHead
    /// The bytes that the head was read from.
    public let bytes: Span<UInt8>
    /// Its body.
    public let body: Span<UInt8>

    @_lifetime(copy bytes, copy body)
    init(_ head: RequestHead, _ bytes: Span<UInt8>, body: Span<UInt8>) {
        self.head = head
        self.bytes = bytes
        self.body = body
    }

    /// What is asked to be done.
    public var method: Method { head.method }

    /// The target as it is written.
    public var target: String { Octet.text(bytes, head.target) }

    /// The method as it is written.
    public var methodName: String { Octet.text(bytes, head.methodName) }

    /// The value of a field; several of its name as one list.
    public func field(_ name: KnownField) -> String? { head.text(of: name, in: bytes) }

    /// Whether a field is written exactly so.
    @inline(__always)
    public func `is`(_ name: KnownField, _ text: StaticString) -> Bool {
        guard let range = head.value(of: name) else { return false }
        return Octet.areExactly(text, bytes, range)
    }

    /// Whether the bytes of a range are these.
    @inline(__always)
    public func are(_ bytes: [UInt8], at range: Range<Int>) -> Bool {
        guard bytes.count == range.count else { return false }
        return bytes.withUnsafeBytes { known in
            self.bytes.withUnsafeBytes { memcmp(known.baseAddress!, $0.baseAddress! + range.lowerBound, known.count) == 0 }
        }
    }

    /// Whether a field comes once, and its value is written with these bytes.
    public func `is`(_ name: KnownField, _ bytes: [UInt8]) -> Bool {
        guard let range = head.value(of: name), !head.isRepeated(name) else { return false }
        return are(bytes, at: range)
    }

    /// Whether there is a field.
    public func has(_ name: KnownField) -> Bool { head.has(name) }

    /// Whether its target is written with an authority.
    public var hasOwnAuthority: Bool { head.authority != nil }

    /// Where the request was sent to: the authority of its target or, without one, its Host field.
    public var authority: String? {
        if let authority = head.authority { return Octet.text(bytes, authority) }
        return field(.host)
    }
}
