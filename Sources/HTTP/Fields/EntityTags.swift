/// The entity tags of `If-Match` or `If-None-Match` (RFC 9110, sections 8.8.3, 13.1.1 and 13.1.2).
///
/// The comparison uses the opaque text alone. A proxy that compresses answers marks their tags as weak or appends the
/// coding, and a client sends them back in that form. A strict comparison would make `If-Match` useless behind such a
/// proxy. For the same reason the mark after the id of an event is left out.
package struct EntityTags: Hashable, Sendable {
    /// True for `*`, which matches any existing resource.
    package private(set) var isAny = false
    /// The tags without quotation marks and `W/`. A tag that ends with a coding is listed without the coding too.
    package private(set) var tags: [String] = []
    /// The element of the field that each tag was read from, with its quotation marks.
    private var elements: [String] = []
    /// Suffixes that compressing proxies append to a tag: Apache the first, Jetty and others the second.
    private static let codings = ["-gzip", ";gzip"]

    /// Parses a field value; nil if it is not a list of tags.
    package init?(_ value: String) {
        // Fast path: nearly all values are one strong tag.
        let bytes = value.utf8
        let quotes = bytes.count { $0 == UInt8(ascii: "\"") }
        if quotes == 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\""),
            bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        {
            add(bytes.dropFirst().dropLast(), in: value)
            return
        }
        // The parser goes byte by byte: as characters, a combining mark would join a quotation mark.
        var rest = value.utf8[...]
        func skip(_ isSkipped: (UInt8) -> Bool) { rest = rest.drop(while: isSkipped) }
        func isSpace(_ byte: UInt8) -> Bool { byte == Octet.space || byte == Octet.tab }
        // A list may have empty elements, also at its start (RFC 9110, section 5.6.1.2).
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
            let start = rest.startIndex
            if rest.starts(with: "W/".utf8) { rest = rest.dropFirst(2) }
            guard rest.first == UInt8(ascii: "\""), let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\"")) else {
                return nil
            }
            let element = String(value.utf8[start...end]) ?? ""
            add(rest[rest.index(after: rest.startIndex)..<end], in: element)
            rest = rest[rest.index(after: end)...]
            skip(isSpace)
            if rest.isEmpty { break }
            guard rest.first == UInt8(ascii: ",") else { return nil }
            skip(isBetween)
        }
        if tags.isEmpty { return nil }
    }

    /// One tag where no quotation marks are required; they are optional.
    package init(tag: String) {
        let bytes = tag.utf8
        let start = bytes.starts(with: "W/\"".utf8) ? 3 : bytes.first == UInt8(ascii: "\"") ? 1 : 0
        let isQuoted = start > 0 && bytes.count > start && bytes.last == UInt8(ascii: "\"")
        add(isQuoted ? bytes.dropFirst(start).dropLast() : bytes[...], in: isQuoted ? tag : "\"\(tag)\"")
    }

    private mutating func add(_ bytes: Substring.UTF8View, in element: String) {
        let bytes = EventIDMark.dropped(from: bytes)
        tags.append(String(decoding: bytes, as: UTF8.self))
        elements.append(element)
        guard let coding = Self.codings.first(where: { bytes.suffix($0.utf8.count).elementsEqual($0.utf8) }) else {
            return
        }
        tags.append(String(decoding: bytes.dropLast(coding.utf8.count), as: UTF8.self))
        elements.append(element)
    }

    /// Returns the first element whose tag satisfies a condition, as the client wrote it.
    package func element(where isWanted: (String) -> Bool) -> String? {
        zip(tags, elements).first { isWanted($0.0) }?.1
    }

    /// Returns true if `tag` matches one of the tags, or if the value is `*`.
    package func matches(_ tag: String) -> Bool { isAny || tags.contains(tag) }
}
