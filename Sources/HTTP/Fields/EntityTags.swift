/// A list of entity tags, as `If-Match` and `If-None-Match` hold one (RFC 9110, sections 8.8.3, 13.1.1 and 13.1.2).
public struct EntityTags: Hashable, Sendable {
    /// Whether it is `*`: anything that is there.
    public private(set) var isAny = false
    /// The tags, without their quotation marks.
    public private(set) var tags: [String] = []
    /// Those of them that are weak.
    private var weak: Set<String> = []

    /// The list that a value holds; nil where it holds none.
    public init?(_ value: String) {
        // One strong tag is what nearly all have.
        let bytes = value.utf8
        let quotes = bytes.count { $0 == UInt8(ascii: "\"") }
        if quotes == 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\""), bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
            tags = [String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)]
            return
        }
        // Byte by byte: what is no tag's own character could grow together with a quotation mark otherwise.
        var rest = value.utf8[...]
        func skip(_ isSkipped: (UInt8) -> Bool) { rest = rest.drop(while: isSkipped) }
        func isSpace(_ byte: UInt8) -> Bool { byte == Octet.space || byte == Octet.tab }
        // Elements of a list may be empty, the first ones too (RFC 9110, section 5.6.1.2).
        func isBetween(_ byte: UInt8) -> Bool { isSpace(byte) || byte == UInt8(ascii: ",") }
        skip(isSpace)
        if rest.first == UInt8(ascii: "*") {
            rest.removeFirst()
            skip(isSpace)
            guard rest.isEmpty else { return nil }
            isAny = true
            return
        }
        skip(isBetween)
        while !rest.isEmpty {
            let isWeak = rest.starts(with: "W/".utf8)
            if isWeak { rest = rest.dropFirst(2) }
            guard rest.first == UInt8(ascii: "\""), let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\"")) else { return nil }
            let tag = String(decoding: rest[rest.index(after: rest.startIndex)..<end], as: UTF8.self)
            tags.append(tag)
            if isWeak { weak.insert(tag) }
            rest = rest[rest.index(after: end)...]
            skip(isSpace)
            if rest.isEmpty { break }
            guard rest.first == UInt8(ascii: ",") else { return nil }
            skip(isBetween)
        }
        if tags.isEmpty { return nil }
    }

    /// One tag, as it stands where no quotation marks are needed; it may have them.
    public init(tag: String) {
        let bytes = tag.utf8
        let start = bytes.starts(with: "W/\"".utf8) ? 3 : bytes.first == UInt8(ascii: "\"") ? 1 : 0
        let isQuoted = start > 0 && bytes.count > start && bytes.last == UInt8(ascii: "\"")
        tags = [isQuoted ? String(decoding: bytes.dropFirst(start).dropLast(), as: UTF8.self) : tag]
    }

    /// Whether a tag is in it, compared weakly: for `If-None-Match`.
    public func matches(_ tag: String) -> Bool { isAny || tags.contains(tag) }

    /// The tags that a strong comparison may find equal: for `If-Match`.
    public var strong: [String] { tags.filter { !weak.contains($0) } }
}
