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
            tags = [String(value.dropFirst().dropLast())]
            return
        }
        let text = value.trimmingSpaces
        if text == "*" {
            isAny = true
            return
        }
        var rest = Substring(text)
        while !rest.isEmpty {
            let isWeak = rest.hasPrefix("W/")
            if isWeak { rest = rest.dropFirst(2) }
            guard rest.first == "\"", let end = rest.dropFirst().firstIndex(of: "\"") else { return nil }
            let tag = String(rest[rest.index(after: rest.startIndex)..<end])
            tags.append(tag)
            if isWeak { weak.insert(tag) }
            rest = rest[rest.index(after: end)...].drop { $0 == " " || $0 == "\t" }
            if rest.isEmpty { break }
            guard rest.first == "," else { return nil }
            rest = rest.drop { $0 == " " || $0 == "\t" || $0 == "," }
        }
        if tags.isEmpty { return nil }
    }

    /// Whether a tag is in it, compared weakly: for `If-None-Match`.
    public func matches(_ tag: String) -> Bool { isAny || tags.contains(tag) }

    /// The tags that a strong comparison may find equal: for `If-Match`.
    public var strong: [String] { tags.filter { !weak.contains($0) } }
}
