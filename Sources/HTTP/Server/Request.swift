import Glibc

/// A copy of a request, which can be read again.
package struct RequestCopy: Sendable {
    private let head: [UInt8]
    private let limits: ServerLimits

    /// Copies a request without its body.
    package init(_ request: borrowing Request) {
        head = request.bytes.extracting(..<request.head.length).withUnsafeBufferPointer { Array($0) }
        limits = request.head.limits
    }

    /// Calls `body` with the request.
    package func read(_ body: (borrowing Request) -> Void) {
        let parsed = RequestHead(limits)
        var seen = 0
        // It was read before, with these limits.
        guard (try? parsed.read(head.span, seen: &seen)) ?? false else { return assertionFailure("a head changed") }
        body(Request(parsed, head.span, body: head.span.extracting(0..<0)))
    }
}

/// A complete request. It is valid only while it is handled, because the buffer owns its bytes.
package struct Request: ~Escapable, ~Copyable {
    /// The head.
    package let head: RequestHead
    /// The bytes of the head.
    package let bytes: Span<UInt8>
    /// The body.
    package let body: Span<UInt8>

    @_lifetime(copy bytes, copy body)
    init(_ head: RequestHead, _ bytes: Span<UInt8>, body: Span<UInt8>) {
        self.head = head
        self.bytes = bytes
        self.body = body
    }

    /// A copy of the body; nil if it is empty.
    package var content: [UInt8]? { body.isEmpty ? nil : body.withUnsafeBufferPointer { Array($0) } }

    /// The method.
    package var method: Method { head.method }

    /// The target in its original spelling.
    package var target: String { Octet.text(bytes, head.target) }

    /// The method in its original spelling.
    package var methodName: String { Octet.text(bytes, head.methodName) }

    /// Returns the value of a field; several fields of the name are joined into one list.
    package func field(_ name: KnownField) -> String? { head.text(of: name, in: bytes) }

    /// Returns true if the value of a field equals `text`.
    @inline(__always)
    package func `is`(_ name: KnownField, _ text: StaticString) -> Bool {
        guard let range = head.value(of: name) else { return false }
        return Octet.areExactly(text, bytes, range)
    }

    /// Appends the bytes of a range of the head.
    package func append(_ range: Range<Int>, to bytes: inout [UInt8]) {
        self.bytes.withUnsafeBufferPointer { bytes += $0[range] }
    }

    /// Returns true if the bytes of a range equal `bytes`.
    @inline(__always)
    package func are(_ bytes: [UInt8], at range: Range<Int>) -> Bool {
        guard bytes.count == range.count else { return false }
        return bytes.withUnsafeBytes { known in
            self.bytes.withUnsafeBytes {
                memcmp(known.baseAddress!, $0.baseAddress! + range.lowerBound, known.count) == 0
            }
        }
    }

    /// Returns true if a field occurs once, and its value equals `bytes`.
    package func `is`(_ name: KnownField, _ bytes: [UInt8]) -> Bool {
        guard let range = head.value(of: name), !head.isRepeated(name) else { return false }
        return are(bytes, at: range)
    }

    /// Returns true if there is a field of a name.
    package func has(_ name: KnownField) -> Bool { head.has(name) }

    /// True if the target has an authority.
    package var hasOwnAuthority: Bool { head.authority != nil }

    /// The authority of the target or, without one, the Host field.
    package var authority: String? {
        if let authority = head.authority { return Octet.text(bytes, authority) }
        return field(.host)
    }
}
