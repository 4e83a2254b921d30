/// A header field (RFC 9112, section 5): where its name and its value stand among the bytes of the head, and where the next line begins.
struct Field {
    let name: Range<Int>
    let value: Range<Int>
    /// Which of those it is that are known.
    let known: KnownField?
    let end: Int

    /// Reads the one that begins at a position.
    @inline(__always)
    init(_ bytes: Span<UInt8>, at start: Int) throws(MessageFault) {
        name = start..<max(start, Self.colon(bytes, from: start))
        known = KnownField.named(bytes, name)
        // A name that is known needs no closer look.
        guard known != nil || Self.isToken(bytes, name) else { throw Self.unnamed(bytes.byte(at: start)) }
        var position = name.upperBound + 1
        while bytes.byte(at: position) == Octet.space || bytes.byte(at: position) == Octet.tab { position += 1 }
        let valueStart = position
        position = Self.contentEnd(bytes, from: position)
        guard bytes.byte(at: position) == Octet.carriageReturn, bytes.byte(at: position + 1) == Octet.lineFeed else {
            throw Head.brokenLine
        }
        end = position + 2
        while position > valueStart, bytes[position - 1] == Octet.space || bytes[position - 1] == Octet.tab { position -= 1 }
        value = valueStart..<position
    }

    /// Where the next colon stands, in this line or not.
    @inline(__always)
    private static func colon(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var position = start
        while position < bytes.count {
            let marks = Word(bytes, at: position).of(UInt8(ascii: ":"))
            if marks != 0 { return position &+ Word.place(marks) }
            position &+= 8
        }
        return bytes.count
    }

    /// Whether some bytes are a token, and a colon comes after them.
    private static func isToken(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard !range.isEmpty, range.upperBound < bytes.count else { return false }
        for index in range where !Octet.isToken(bytes[index]) { return false }
        return true
    }

    /// Where bytes end that may stand in a value: what can be seen, spaces, tabs, and bytes beyond ASCII.
    @inline(__always)
    private static func contentEnd(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var position = start
        while true {
            let marks = Word(bytes, at: position).controls
            if marks == 0 {
                position &+= 8
            } else {
                position &+= Word.place(marks)
                guard bytes.byte(at: position) == Octet.tab else { return position }
                position += 1
            }
        }
    }

    private static func unnamed(_ first: UInt8) -> MessageFault {
        first == Octet.space || first == Octet.tab
            ? MessageFault(400, "a header field stands in one line: folding is obsolete")
            : MessageFault(400, "a header field is a name, a colon right after it, and a value")
    }
}

extension Span where Element == UInt8 {
    /// The byte at a position. Past the end there are zeros, which may stand nowhere in a head.
    @inline(__always)
    func byte(at position: Int) -> UInt8 { position < count ? self[unchecked: position] : 0 }
}
