import Glibc

/// Reading the head of a request (RFC 9112, sections 2 to 5). Whatever another program could read differently is refused.
extension Head {
    /// Reads a head from the start of `bytes`; whether all of it is there. `seen` bytes were looked at before, without finding its end.
    package func read(_ bytes: Span<UInt8>, seen: inout Int, _ limits: Limits) throws(MessageFault) -> Bool {
        clear()
        // A robust server lets a line end before the request line pass (RFC 9112, section 2.2), but not many.
        var start = 0
        while start + 1 < bytes.count, start < 4, bytes[start] == Octet.carriageReturn, bytes[start + 1] == Octet.lineFeed { start += 2 }
        if start < bytes.count, bytes[start] != Octet.carriageReturn, !Octet.isToken(bytes[start]) {
            throw MessageFault(400, "a request begins with a method, such as GET")
        }
        guard let end = try find(&seen, in: bytes, from: start, limits) else { return false }
        length = end
        var position = try readRequestLine(bytes, from: start, limits)
        while bytes[position] != Octet.carriageReturn { position = try readField(bytes, from: position, limits) }
        try decide(bytes, limits)
        return true
    }

    /// Where the head ends: after its first empty line.
    private func find(_ seen: inout Int, in bytes: Span<UInt8>, from start: Int, _ limits: Limits) throws(MessageFault) -> Int? {
        var position = max(seen, start)
        let limit = min(bytes.count, start + limits.requestLineBytes + limits.headerBytes + 4)
        while let lineEnd = Self.lineFeed(in: bytes, position..<limit) {
            guard lineEnd > start, bytes[lineEnd - 1] == Octet.carriageReturn else { throw Self.brokenLine }
            if lineEnd >= start + 3, bytes[lineEnd - 2] == Octet.lineFeed { return lineEnd + 1 }
            position = lineEnd + 1
        }
        position = max(position, limit)
        seen = position
        try checkLength(bytes, from: start, limits)
        return nil
    }

    private static func lineFeed(in bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        guard !range.isEmpty else { return nil }
        return bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress, let found = memchr(base + range.lowerBound, Int32(Octet.lineFeed), range.count) else {
                return nil
            }
            return found - UnsafeMutableRawPointer(mutating: base)
        }
    }

    /// Refuses a head that is too long before it has ended.
    private func checkLength(_ bytes: Span<UInt8>, from start: Int, _ limits: Limits) throws(MessageFault) {
        var position = start
        while position < bytes.count, position - start <= limits.requestLineBytes {
            if bytes[position] == Octet.lineFeed {
                guard bytes.count - position <= limits.headerBytes + 4 else { throw Self.headersTooLarge(limits) }
                return
            }
            position += 1
        }
        if position - start > limits.requestLineBytes { throw Self.lineTooLong(limits) }
    }

    private static func lineTooLong(_ limits: Limits) -> MessageFault {
        MessageFault(414, "the request line is longer than \(limits.requestLineBytes) bytes")
    }

    private static func headersTooLarge(_ limits: Limits) -> MessageFault {
        MessageFault(431, "the header is larger than \(limits.headerBytes) bytes or has more than \(limits.fieldCount) fields")
    }

    private static let brokenLine = MessageFault(400, "a line must end in CR LF, and hold neither alone")

    // MARK: The request line (RFC 9112, section 3)

    private func readRequestLine(_ bytes: Span<UInt8>, from start: Int, _ limits: Limits) throws(MessageFault) -> Int {
        var position = start
        while Octet.isToken(bytes[position]) { position += 1 }
        guard position > start, bytes[position] == Octet.space else {
            throw MessageFault(400, "a request begins with a method and one space")
        }
        methodName = start..<position
        method = Self.method(bytes, methodName)
        position += 1
        let targetStart = position
        while bytes[position] > Octet.space, bytes[position] < 0x7F { position += 1 }
        guard position - start <= limits.requestLineBytes else { throw Self.lineTooLong(limits) }
        guard position > targetStart, bytes[position] == Octet.space else {
            throw MessageFault(400, "after the method comes a target of visible ASCII characters, and one space")
        }
        try readTarget(bytes, targetStart..<position)
        position = try readVersion(bytes, from: position + 1)
        guard position - 2 - start <= limits.requestLineBytes else { throw Self.lineTooLong(limits) }
        guard length - position <= limits.headerBytes + 2 else { throw Self.headersTooLarge(limits) }
        return position
    }

    private static func method(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Method {
        switch range.count {
        case 3: Octet.areExactly("GET", bytes, range) ? .get : Octet.areExactly("PUT", bytes, range) ? .put : .other
        case 4: Octet.areExactly("POST", bytes, range) ? .post : Octet.areExactly("HEAD", bytes, range) ? .head : .other
        case 6: Octet.areExactly("DELETE", bytes, range) ? .delete : .other
        case 7: Octet.areExactly("OPTIONS", bytes, range) ? .options : .other
        default: .other
        }
    }

    private func readTarget(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(MessageFault) {
        var start = range.lowerBound
        if bytes[start] != UInt8(ascii: "/") {
            if range.count == 1, bytes[start] == UInt8(ascii: "*"), method == .options {
                target = range
                return
            }
            guard let authorityStart = Self.schemeEnd(bytes, range) else {
                throw MessageFault(400, "the target must be a path that begins with /, or an absolute http address")
            }
            start = authorityStart
            while start < range.upperBound, bytes[start] != UInt8(ascii: "/"), bytes[start] != UInt8(ascii: "?") { start += 1 }
            authority = authorityStart..<start
            guard start > authorityStart else { throw MessageFault(400, "an absolute address must name a host") }
            try Self.checkAuthority(
                bytes, authorityStart..<start, "an absolute address names a host and, perhaps, a port, and nobody's name")
        }
        target = start..<range.upperBound
        var position = start
        while position < range.upperBound {
            switch bytes[position] {
            case UInt8(ascii: "#"): throw MessageFault(400, "a target has no fragment")
            case UInt8(ascii: "%"):
                guard position + 2 < range.upperBound, Octet.hexValue(bytes[position + 1]) != nil,
                    Octet.hexValue(bytes[position + 2]) != nil
                else { throw MessageFault(400, "after % come two hexadecimal digits") }
            default: break
            }
            position += 1
        }
    }

    /// Where the authority of an absolute address begins.
    private static func schemeEnd(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        for scheme in ["http://", "https://"] as [StaticString] where range.count > scheme.utf8CodeUnitCount {
            let end = range.lowerBound + scheme.utf8CodeUnitCount
            if Octet.are(scheme, bytes, range.lowerBound..<end) { return end }
        }
        return nil
    }

    /// Reads the version and the line's end; where the next line begins.
    private func readVersion(_ bytes: Span<UInt8>, from start: Int) throws(MessageFault) -> Int {
        guard length - start >= 10, Octet.areExactly("HTTP/", bytes, start..<start + 5), bytes[start + 6] == UInt8(ascii: "."),
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[start + 5]),
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[start + 7])
        else { throw MessageFault(400, "after the target comes the version: HTTP/1.1") }
        guard bytes[start + 8] == Octet.carriageReturn, bytes[start + 9] == Octet.lineFeed else { throw Self.brokenLine }
        guard bytes[start + 5] == UInt8(ascii: "1") else { throw MessageFault(505, "this server speaks HTTP/1.1") }
        minorVersion = bytes[start + 7] == UInt8(ascii: "0") ? 0 : 1
        return start + 10
    }

    // MARK: Fields (RFC 9112, section 5)

    private func readField(_ bytes: Span<UInt8>, from start: Int, _ limits: Limits) throws(MessageFault) -> Int {
        guard fields.count < limits.fieldCount else { throw Self.headersTooLarge(limits) }
        var position = start
        while Octet.isToken(bytes[position]) { position += 1 }
        guard position > start, bytes[position] == UInt8(ascii: ":") else {
            throw bytes[start] == Octet.space || bytes[start] == Octet.tab
                ? MessageFault(400, "a header field stands in one line: folding is obsolete")
                : MessageFault(400, "a header field is a name, a colon right after it, and a value")
        }
        let name = start..<position
        position += 1
        while bytes[position] == Octet.space || bytes[position] == Octet.tab { position += 1 }
        let valueStart = position
        while Octet.isContent(bytes[position]) { position += 1 }
        guard bytes[position] == Octet.carriageReturn, bytes[position + 1] == Octet.lineFeed else { throw Self.brokenLine }
        var valueEnd = position
        while valueEnd > valueStart, bytes[valueEnd - 1] == Octet.space || bytes[valueEnd - 1] == Octet.tab { valueEnd -= 1 }
        add(Field(name: name, value: valueStart..<valueEnd), KnownField.named(bytes, name))
        return position + 2
    }
}
