import JSON

/// A place in a list, after a row that need not be there any more.
///
/// Clients see it as an opaque text (`next`, `after`): encrypted, because a list may show less of a row than its order
/// compares, and authenticated, so that only a text of this server and of the same view is read.
enum ListPlace: Hashable, Sendable {
    /// After a row of a sorted list: its key, and the row as JSON.
    case row(key: String, row: [UInt8])
    /// After a row of a sorted list that is too large for a text: its key alone.
    case key(String)
    /// After an element of an array: the number of elements up to it, and their last one's digest.
    case element(count: Int, digest: String)

    /// The bytes of a row that a text holds at most. A target of 8 KiB has room for the text.
    static let rowBytesLimit = 4_096

    /// The words before the content, which keep its digest apart from other digests.
    private static func domain(_ view: String) -> [UInt8] { Array("window of \(view)\0".utf8) }

    /// Reads a text; nil if this server has not made it for this view.
    init?(_ text: String, of view: String, _ key: DigestKey) {
        guard let bytes = Base64URL.bytes(text), bytes.count > 16 else { return nil }
        let seal = Array(bytes[..<16])
        let content = Self.masked(Array(bytes[16...]), seal, key)
        guard Self.seal(content, view, key) == seal, let json = try? JSON(parsing: content) else { return nil }
        switch (json["key"], json["row"], json["count"], json["digest"]) {
        case (.string(let key)?, let row?, _, _):
            guard let row = try? row.json() else { return nil }
            self = .row(key: key, row: row)
        case (.string(let key)?, nil, _, _): self = .key(key)
        case (nil, _, .number(let count)?, .string(let digest)?):
            guard let count = count.int64, count >= 0 else { return nil }
            self = .element(count: Int(count), digest: digest)
        default: return nil
        }
    }

    /// Returns the text for clients. Equal places of a view have equal texts, so that equal windows have equal values.
    func text(of view: String, _ key: DigestKey) throws(JSONError) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            switch self {
            case .row(let name, let row):
                writer.field("key", name)
                writer.field("row", written: row)
            case .key(let name): writer.field("key", name)
            case .element(let count, let digest):
                writer.field("count", count)
                writer.field("digest", digest)
            }
        }
        let content = Self.padded(try writer.finish())
        let seal = Self.seal(content, view, key)
        return Base64URL.text(seal + Self.masked(content, seal, key))
    }

    /// The unit of the length of a text: the length of a row may tell what its view does not show.
    private static let unit = 64

    /// Returns JSON with blanks up to a whole number of units.
    private static func padded(_ content: [UInt8]) -> [UInt8] {
        content + [UInt8](repeating: UInt8(ascii: " "), count: (unit - content.count % unit) % unit)
    }

    /// Returns the place after a row.
    static func after(_ key: String, _ row: [UInt8]) -> ListPlace {
        row.count <= rowBytesLimit ? .row(key: key, row: row) : .key(key)
    }

    /// Returns the place after an element, which is the last of so many.
    static func after(_ element: [UInt8], count: Int) -> ListPlace {
        .element(count: count, digest: digest(of: element))
    }

    /// The digest by which an element is found again.
    static func digest(of element: [UInt8]) -> String { Digest(element).tag }

    // The construction is that of SIV (RFC 5297): the keyed digest of the content is its seal and the mask's beginning.

    private static func seal(_ content: [UInt8], _ view: String, _ key: DigestKey) -> [UInt8] {
        bytes(of: Digest(domain(view) + content, key))
    }

    private static func masked(_ content: [UInt8], _ seal: [UInt8], _ key: DigestKey) -> [UInt8] {
        var masked = content
        for start in stride(from: 0, to: content.count, by: 16) {
            let mask = bytes(of: Digest(domain("") + seal + bytes(of: UInt64(start)), key))
            for index in start..<min(start + 16, content.count) { masked[index] ^= mask[index - start] }
        }
        return masked
    }

    private static func bytes(of digest: Digest) -> [UInt8] { bytes(of: digest.words.0) + bytes(of: digest.words.1) }

    private static func bytes(of word: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
    }
}
