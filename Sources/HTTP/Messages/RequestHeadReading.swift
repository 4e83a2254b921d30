import Glibc

/// The parser of request heads (RFC 9112, sections 2 to 5). It refuses every head that another program could read
/// differently.
extension RequestHead {
    /// Parses a head from the start of `bytes` and returns true if it is complete. The first `seen` bytes were searched
    /// before without finding its end.
    package func read(_ bytes: Span<UInt8>, seen: inout Int) throws(MessageFault) -> Bool {
        if isAgain(at: bytes) { return true }
        // A robust server skips empty lines before the request line (RFC 9112, section 2.2); the limit is two.
        var start = 0
        while start < 4, bytes.byte(at: start) == Octet.carriageReturn, bytes.byte(at: start + 1) == Octet.lineFeed {
            start += 2
        }
        if seen > 0 || !isWhole(bytes, from: start) {
            if start < bytes.count, bytes[start] != Octet.carriageReturn, !Octet.isToken(bytes[start]) {
                throw MessageFault(400, "a request begins with a method, such as GET")
            }
            clear()
            guard let end = try find(&seen, in: bytes, from: start) else { return false }
            try parse(bytes, from: start, to: end)
        }
        remember(bytes)
        return true
    }

    /// Parses a head on the assumption that it is complete, which saves the search for its end. Returns false if it is
    /// incomplete or faulty; the slow path then finds the fault.
    private func isWhole(_ bytes: Span<UInt8>, from start: Int) -> Bool {
        do throws(MessageFault) {
            try parse(bytes, from: start, to: nil)
            return true
        } catch {
            clear()
            return false
        }
    }

    /// Parses all parts of a head. `end` is its end if that is known.
    private func parse(_ bytes: Span<UInt8>, from start: Int, to end: Int?) throws(MessageFault) {
        clear()
        fieldsStart = try readRequestLine(bytes, from: start)
        try checkFieldsLength(end ?? fieldsStart)
        var position = fieldsStart
        while bytes.byte(at: position) != Octet.carriageReturn {
            guard fieldCount < limits.fieldCount else { throw headersTooLarge }
            let field = try HeaderField(bytes, at: position)
            if let known = field.known { add(known, field.value) }
            fieldCount += 1
            position = field.end
        }
        guard bytes.byte(at: position + 1) == Octet.lineFeed else { throw Self.brokenLine }
        try checkFieldsLength(position + 2)
        try decide(bytes)
        // A length above 0 marks the head as parsed from these bytes.
        length = position + 2
    }

    private func checkFieldsLength(_ end: Int) throws(MessageFault) {
        guard end - fieldsStart <= limits.headerBytes + 2 else { throw headersTooLarge }
    }

    /// Returns the position after the first empty line, or nil if it has not arrived.
    private func find(_ seen: inout Int, in bytes: Span<UInt8>, from start: Int) throws(MessageFault) -> Int? {
        var position = max(seen, start)
        let limit = min(bytes.count, start + limits.requestLineBytes + limits.headerBytes + 4)
        while let lineEnd = Self.lineFeed(in: bytes, position..<limit) {
            guard lineEnd > start, bytes[lineEnd - 1] == Octet.carriageReturn else { throw Self.brokenLine }
            if lineEnd >= start + 3, bytes[lineEnd - 2] == Octet.lineFeed { return lineEnd + 1 }
            position = lineEnd + 1
        }
        position = max(position, limit)
        seen = position
        try checkLength(bytes, from: start)
        return nil
    }

    private static func lineFeed(in bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        guard !range.isEmpty else { return nil }
        return bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress,
                let found = memchr(base + range.lowerBound, Int32(Octet.lineFeed), range.count)
            else {
                return nil
            }
            return found - UnsafeMutableRawPointer(mutating: base)
        }
    }

    /// Throws if an incomplete head already exceeds a limit.
    private func checkLength(_ bytes: Span<UInt8>, from start: Int) throws(MessageFault) {
        var position = start
        while position < bytes.count, position - start <= limits.requestLineBytes {
            if bytes[position] == Octet.lineFeed {
                guard bytes.count - position <= limits.headerBytes + 4 else { throw headersTooLarge }
                return
            }
            position += 1
        }
        if position - start > limits.requestLineBytes { throw lineTooLong }
    }

    private var lineTooLong: MessageFault {
        MessageFault(414, "the request line is longer than \(limits.requestLineBytes) bytes")
    }

    private var headersTooLarge: MessageFault {
        MessageFault(
            431, "the header is larger than \(limits.headerBytes) bytes or has more than \(limits.fieldCount) fields")
    }

    static let brokenLine = MessageFault(400, "a line ends in CR LF and contains neither alone")

    // MARK: The request line (RFC 9112, section 3)

    /// Parses the request line and returns the start of the next line.
    private func readRequestLine(_ bytes: Span<UInt8>, from start: Int) throws(MessageFault) -> Int {
        var position = try readMethod(bytes, from: start) + 1
        let targetStart = position
        // Marks of bytes that need a closer look.
        var remarkable: UInt64 = 0
        while true {
            let word = ByteWord(bytes, at: position)
            remarkable |= word.of(UInt8(ascii: "%")) | word.of(UInt8(ascii: "#"))
            let marks = word.invisible
            position &+= marks == 0 ? 8 : ByteWord.place(marks)
            if marks != 0 { break }
        }
        guard position - start <= limits.requestLineBytes else { throw lineTooLong }
        guard position > targetStart, bytes.byte(at: position) == Octet.space else {
            throw MessageFault(400, "after the method comes a target of visible ASCII characters, and one space")
        }
        target = targetStart..<position
        if bytes[targetStart] != UInt8(ascii: "/") { try readWholeAddress(bytes) }
        if remarkable != 0 { try checkTarget(bytes) }
        position = try readVersion(bytes, from: position + 1)
        guard position - 2 - start <= limits.requestLineBytes else { throw lineTooLong }
        return position
    }

    /// Parses the method and returns its end.
    @inline(__always)
    private func readMethod(_ bytes: Span<UInt8>, from start: Int) throws(MessageFault) -> Int {
        let word = ByteWord(bytes, at: start)
        if word.starts(with: "GET ") {
            method = .get
            methodName = start..<start + 3
        } else if word.starts(with: "POST ") {
            method = .post
            methodName = start..<start + 4
        } else {
            var position = start
            while Octet.isToken(bytes.byte(at: position)) { position += 1 }
            guard position > start, bytes.byte(at: position) == Octet.space else {
                throw MessageFault(400, "a request begins with a method and one space")
            }
            methodName = start..<position
            method = Self.method(bytes, methodName)
        }
        return methodName.upperBound
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

    /// Parses a target that does not begin with a slash.
    private func readWholeAddress(_ bytes: Span<UInt8>) throws(MessageFault) {
        if target.count == 1, bytes[target.lowerBound] == UInt8(ascii: "*"), method == .options { return }
        guard let authorityStart = Self.schemeEnd(bytes, target) else {
            throw MessageFault(400, "the target must be a path that begins with /, or an absolute http address")
        }
        var start = authorityStart
        while start < target.upperBound, bytes[start] != UInt8(ascii: "/"), bytes[start] != UInt8(ascii: "?") {
            start += 1
        }
        authority = authorityStart..<start
        guard start > authorityStart else { throw MessageFault(400, "an absolute address must name a host") }
        try Self.checkAuthority(
            bytes, authorityStart..<start,
            "the authority of an absolute address is a host with an optional port, without a user")
        target = start..<target.upperBound
    }

    private func checkTarget(_ bytes: Span<UInt8>) throws(MessageFault) {
        for position in target {
            switch bytes[position] {
            case UInt8(ascii: "#"): throw MessageFault(400, "a target has no fragment")
            case UInt8(ascii: "%"):
                guard position + 2 < target.upperBound, Octet.hexValue(bytes[position + 1]) != nil,
                    Octet.hexValue(bytes[position + 2]) != nil
                else { throw MessageFault(400, "after % come two hexadecimal digits") }
            default: break
            }
        }
    }

    /// Returns the start of the authority in an absolute address.
    private static func schemeEnd(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        for scheme in ["http://", "https://"] as [StaticString] where range.count > scheme.utf8CodeUnitCount {
            let end = range.lowerBound + scheme.utf8CodeUnitCount
            if Octet.are(scheme, bytes, range.lowerBound..<end) { return end }
        }
        return nil
    }

    /// Parses the version and the line end, and returns the start of the next line.
    @inline(__always)
    private func readVersion(_ bytes: Span<UInt8>, from start: Int) throws(MessageFault) -> Int {
        let word = ByteWord(bytes, at: start)
        if word.starts(with: "HTTP/1.1") {
            minorVersion = 1
        } else {
            func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
            let major = bytes.byte(at: start + 5)
            let minor = bytes.byte(at: start + 7)
            guard word.starts(with: "HTTP/"), isDigit(major), bytes.byte(at: start + 6) == UInt8(ascii: "."),
                isDigit(minor)
            else {
                throw MessageFault(400, "after the target comes the version: HTTP/1.1")
            }
            guard major == UInt8(ascii: "1") || !isLineEnd(bytes, at: start + 8) else {
                throw MessageFault(505, "this server speaks HTTP/1.1")
            }
            minorVersion = minor == UInt8(ascii: "0") ? 0 : 1
        }
        guard isLineEnd(bytes, at: start + 8) else { throw Self.brokenLine }
        return start + 10
    }

    @inline(__always)
    private func isLineEnd(_ bytes: Span<UInt8>, at position: Int) -> Bool {
        bytes.byte(at: position) == Octet.carriageReturn && bytes.byte(at: position + 1) == Octet.lineFeed
    }
}
