/// What follows from the fields of a head: how the body is marked off, and what becomes of the connection.
extension Head {
    func decide(_ bytes: Span<UInt8>) throws(MessageFault) {
        try checkHost(bytes)
        framing = try decideFraming(bytes)
        decidePersistence(bytes)
        expectsContinue = false
        if let expect = value(of: .expect) {
            guard Octet.are("100-continue", bytes, expect) else { throw MessageFault(417, "nothing can be expected but 100-continue") }
            expectsContinue = minorVersion > 0
        }
    }

    /// RFC 9112, section 3.2.
    private func checkHost(_ bytes: Span<UInt8>) throws(MessageFault) {
        guard let host = value(of: .host) else {
            if minorVersion == 0 { return }
            throw MessageFault(400, "a request of HTTP/1.1 has a Host field")
        }
        guard !isRepeated(.host) else { throw MessageFault(400, "a request has one Host field") }
        // Empty is what one sends who asks for something that has no host.
        if host.isEmpty { return }
        try Self.checkAuthority(bytes, host, "the Host field holds a host and, perhaps, a port")
    }

    /// Whoever is named here decides who answers: there must be one way to read it.
    static func checkAuthority(_ bytes: Span<UInt8>, _ range: Range<Int>, _ detail: String) throws(MessageFault) {
        if isPlainAuthority(bytes, range) { return }
        for index in range where !OctetSet.authority.contains(bytes[index]) { throw MessageFault(400, detail) }
        guard Authority(Octet.text(bytes, range)) != nil else { throw MessageFault(400, detail) }
    }

    /// Whether it is a name of letters, digits, dots and hyphens, perhaps with a short port: nearly all are, and need no closer look.
    private static func isPlainAuthority(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var position = range.lowerBound
        while position < range.upperBound, OctetSet.plainHost.contains(bytes.byte(at: position)) { position += 1 }
        guard position > range.lowerBound else { return false }
        if position == range.upperBound { return true }
        guard bytes[position] == UInt8(ascii: ":"), (1...4).contains(range.upperBound - position - 1) else { return false }
        for index in position + 1..<range.upperBound where !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) { return false }
        return true
    }

    /// RFC 9112, section 6.3, with everything refused that leaves room for two readings.
    private func decideFraming(_ bytes: Span<UInt8>) throws(MessageFault) -> Framing {
        if let coding = value(of: .transferEncoding) {
            guard minorVersion > 0 else { throw MessageFault(400, "HTTP/1.0 has no transfer codings") }
            guard value(of: .contentLength) == nil else { throw MessageFault(400, "a body has either a length or a transfer coding") }
            guard !isRepeated(.transferEncoding), Octet.are("chunked", bytes, coding) else {
                throw MessageFault(400, "the only transfer coding is chunked, once")
            }
            return .chunks
        }
        guard let length = value(of: .contentLength) else { return .none }
        guard !isRepeated(.contentLength) else { throw MessageFault(400, "a body has one length") }
        guard !length.isEmpty else { throw MessageFault(400, "a length is a number") }
        var count = 0
        for index in length {
            let byte = bytes[index]
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else {
                throw MessageFault(400, "a length is a number, in digits alone")
            }
            count = min(count * 10 + Int(byte - UInt8(ascii: "0")), Int.max / 16)
        }
        guard count <= limits.bodyBytes else { throw Self.bodyTooLarge(limits) }
        return count == 0 ? .none : .length(count)
    }

    static func bodyTooLarge(_ limits: Limits) -> MessageFault {
        MessageFault(413, "the body is larger than \(limits.bodyBytes) bytes")
    }

    /// RFC 9112, section 9.3.
    private func decidePersistence(_ bytes: Span<UInt8>) {
        isPersistent = minorVersion > 0
        guard value(of: .connection) != nil, let options = text(of: .connection, in: bytes) else { return }
        for option in options.split(separator: ",") {
            // Keep-alive of HTTP/1.0 is left alone: what stands between may have passed it on without understanding it.
            if option.trimmingSpaces.lowercased() == "close" { isPersistent = false }
        }
    }
}
