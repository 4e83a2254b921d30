/// A header field (RFC 9112, section 5): the positions of its name, its value and the next line in the bytes of the
/// head.
struct HeaderField {
    let name: Range<Int>
    let value: Range<Int>
    /// The field's identity if the server knows its name.
    let known: KnownField?
    let end: Int

    /// Parses the field that begins at `start`.
    @inline(__always)
    init(_ bytes: Span<UInt8>, at start: Int) throws(MessageFault) {
        name = start..<max(start, Self.colon(bytes, from: start))
        known = KnownField.named(bytes, name)
        // A known name is a token by definition.
        guard known != nil || Self.isToken(bytes, name) else { throw Self.unnamed(bytes.byte(at: start)) }
        var position = name.upperBound + 1
        while bytes.byte(at: position) == Octet.space || bytes.byte(at: position) == Octet.tab { position += 1 }
        let valueStart = position
        position = Self.contentEnd(bytes, from: position)
        guard bytes.byte(at: position) == Octet.carriageReturn, bytes.byte(at: position + 1) == Octet.lineFeed else {
            throw RequestHead.brokenLine
        }
        end = position + 2
        while position > valueStart, bytes[position - 1] == Octet.space || bytes[position - 1] == Octet.tab {
            position -= 1
        }
        value = valueStart..<position
    }

    /// Returns the position of the next colon, in this line or beyond it.
    @inline(__always)
    private static func colon(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var position = start
        while position < bytes.count {
            let marks = ByteWord(bytes, at: position).of(UInt8(ascii: ":"))
            if marks != 0 { return position &+ ByteWord.place(marks) }
            position &+= 8
        }
        return bytes.count
    }

    /// Returns true if `range` is a token that a colon follows.
    private static func isToken(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard !range.isEmpty, range.upperBound < bytes.count else { return false }
        for index in range where !Octet.isToken(bytes[index]) { return false }
        return true
    }

    /// Returns the end of the bytes that a field value allows: visible characters, spaces, tabs and bytes beyond ASCII.
    @inline(__always)
    private static func contentEnd(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var position = start
        while true {
            let marks = ByteWord(bytes, at: position).controls
            if marks == 0 {
                position &+= 8
            } else {
                position &+= ByteWord.place(marks)
                guard bytes.byte(at: position) == Octet.tab else { return position }
                position += 1
            }
        }
    }

    private static func unnamed(_ first: UInt8) -> MessageFault {
        first == Octet.space || first == Octet.tab
            ? MessageFault(400, "a header field has one line: line folding is obsolete")
            : MessageFault(400, "a header field is a name, a colon right after it, and a value")
    }
}

extension Span where Element == UInt8 {
    /// The byte at a position, or 0 beyond the end. A head has no zero byte.
    @inline(__always)
    func byte(at position: Int) -> UInt8 { position < count ? self[unchecked: position] : 0 }
}
