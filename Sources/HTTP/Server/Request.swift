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

    /// The method.
    public var method: Method { head.method }

    /// The target as it is written.
    public var target: String { Octet.text(bytes, head.target) }

    /// The method as it is written.
    public var methodName: String { Octet.text(bytes, head.methodName) }

    /// The value of a field; several of its name as one list.
    public func field(_ name: KnownField) -> String? { head.text(of: name, in: bytes) }

    /// Returns true if a field is exactly `text`.
    @inline(__always)
    public func `is`(_ name: KnownField, _ text: StaticString) -> Bool {
        guard let range = head.value(of: name) else { return false }
        return Octet.areExactly(text, bytes, range)
    }

    /// Returns true if the bytes of a range equal `bytes`.
    @inline(__always)
    public func are(_ bytes: [UInt8], at range: Range<Int>) -> Bool {
        guard bytes.count == range.count else { return false }
        return bytes.withUnsafeBytes { known in
            self.bytes.withUnsafeBytes {
                memcmp(known.baseAddress!, $0.baseAddress! + range.lowerBound, known.count) == 0
            }
        }
    }

    /// Returns true if a field occurs once, and its value equals `bytes`.
    public func `is`(_ name: KnownField, _ bytes: [UInt8]) -> Bool {
        guard let range = head.value(of: name), !head.isRepeated(name) else { return false }
        return are(bytes, at: range)
    }

    /// Returns true if there is a field of a name.
    public func has(_ name: KnownField) -> Bool { head.has(name) }

    /// True if its target has an authority.
    public var hasOwnAuthority: Bool { head.authority != nil }

    /// The authority of its target or, if that has none, its Host field.
    public var authority: String? {
        if let authority = head.authority { return Octet.text(bytes, authority) }
        return field(.host)
    }
}
