/// Decisions from the fields of a head: the framing of the body and the persistence of the connection.
extension RequestHead {
    func decide(_ bytes: Span<UInt8>) throws(MessageFault) {
        try checkHost(bytes)
        framing = try decideFraming(bytes)
        decidePersistence(bytes)
        coding = has(.acceptEncoding) ? decideCoding(bytes) : .identity
        expectsContinue = false
        if let expect = value(of: .expect) {
            guard Octet.are("100-continue", bytes, expect) else {
                throw MessageFault(417, "the only expectation is 100-continue")
            }
            expectsContinue = minorVersion > 0
        }
    }

    /// Checks the Host field (RFC 9112, section 3.2).
    private func checkHost(_ bytes: Span<UInt8>) throws(MessageFault) {
        guard let host = value(of: .host) else {
            if minorVersion == 0 { return }
            throw MessageFault(400, "a request of HTTP/1.1 has a Host field")
        }
        guard !isRepeated(.host) else { throw MessageFault(400, "a request has one Host field") }
        // A client sends an empty Host for a target without an authority.
        if host.isEmpty { return }
        try Self.checkAuthority(bytes, host, "the Host field is a host with an optional port")
    }

    /// Throws if the authority at `range` is invalid. The authority decides which server answers, so it must have one
    /// reading.
    static func checkAuthority(_ bytes: Span<UInt8>, _ range: Range<Int>, _ detail: String) throws(MessageFault) {
        if isPlainAuthority(bytes, range) { return }
        for index in range where !OctetSet.authority.contains(bytes[index]) { throw MessageFault(400, detail) }
        guard Authority(Octet.text(bytes, range)) != nil else { throw MessageFault(400, detail) }
    }

    /// Returns true for the common case: a name of lower-case letters, digits, dots and hyphens, with an optional port
    /// of at most four digits.
    private static func isPlainAuthority(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var position = range.lowerBound
        while position < range.upperBound, OctetSet.plainHost.contains(bytes.byte(at: position)) { position += 1 }
        guard position > range.lowerBound else { return false }
        if position == range.upperBound { return true }
        guard bytes[position] == UInt8(ascii: ":"), (1...4).contains(range.upperBound - position - 1) else {
            return false
        }
        for index in position + 1..<range.upperBound
        where !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) { return false }
        return true
    }

    /// Decides the framing (RFC 9112, section 6.3). A head with two possible readings is refused.
    private func decideFraming(_ bytes: Span<UInt8>) throws(MessageFault) -> Framing {
        if let coding = value(of: .transferEncoding) {
            guard minorVersion > 0 else { throw MessageFault(400, "HTTP/1.0 has no transfer codings") }
            guard value(of: .contentLength) == nil else {
                throw MessageFault(400, "a body has either a length or a transfer coding")
            }
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
                throw MessageFault(400, "a length is a number of digits only")
            }
            count = min(count * 10 + Int(byte - UInt8(ascii: "0")), Int.max / 16)
        }
        guard count <= limits.bodyBytes else { throw Self.bodyTooLarge(limits) }
        return count == 0 ? .none : .length(count)
    }

    static func bodyTooLarge(_ limits: ServerLimits) -> MessageFault {
        MessageFault(413, "the body is larger than \(limits.bodyBytes) bytes")
    }

    /// Decides whether the connection can carry another request (RFC 9112, section 9.3).
    private func decidePersistence(_ bytes: Span<UInt8>) {
        isPersistent = minorVersion > 0
        guard value(of: .connection) != nil, let options = text(of: .connection, in: bytes) else { return }
        for option in options.split(separator: ",") {
            // Keep-alive of HTTP/1.0 is ignored: an intermediary can forward the field without understanding it.
            if option.trimmingSpaces.lowercased() == "close" { isPersistent = false }
        }
    }

    /// Decides the content coding of the answer (RFC 9110, section 12.5.3).
    private func decideCoding(_ bytes: Span<UInt8>) -> ContentCoding {
        var weights = CodingWeights()
        if isRepeated(.acceptEncoding) {
            for field in fields(in: bytes) where field.known == .acceptEncoding { weights.read(bytes, field.value) }
        } else if let value = value(of: .acceptEncoding) {
            weights.read(bytes, value)
        }
        return weights.coding
    }
}
