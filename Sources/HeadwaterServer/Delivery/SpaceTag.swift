import HTTP
import StateStore

/// The tag of a version of a space, `18-OPAQUE`: the version, and the life of the journal in which it was sent.
struct SpaceTag: Hashable {
    let version: Int
    let life: Life

    init(_ version: Int, in life: Life) {
        self.version = version
        self.life = life
    }

    /// Parses a tag; nil if `text` is not a tag.
    init?(_ text: String) {
        guard let dash = text.firstIndex(of: "-"), let version = Int(text[..<dash]), version >= 0 else { return nil }
        let words = text[text.index(after: dash)...].split(separator: "_", omittingEmptySubsequences: false)
        guard words.count == 2, let era = UInt64(words[0], radix: 36), let count = Int(words[1]), count >= 0 else {
            return nil
        }
        self.init(version, in: Life(era: era, count: count))
        // A number has several spellings, a tag only one.
        guard self.text == text else { return nil }
    }

    /// Parses a tag that a client has sent, possibly with quotation marks and the additions of a proxy.
    init?(sent text: String) {
        guard let tag = EntityTags(tag: text).tags.lazy.compactMap({ SpaceTag($0) }).first else { return nil }
        self = tag
    }

    /// Returns true if the tag belongs to a valid life of the space.
    func isGood(for space: SpaceName, in lives: LifeTable) -> Bool { lives.isGood(life, for: space) }

    /// Returns true if the tag is valid and has this version.
    func means(_ version: Int, of space: SpaceName, in lives: LifeTable) -> Bool {
        self.version == version && isGood(for: space, in: lives)
    }

    /// The text of the tag.
    var text: String { "\(version)-\(Self.opaque(life))" }

    /// Returns the text of a life in tags.
    static func opaque(_ life: Life) -> String { "\(String(life.era, radix: 36))_\(life.count)" }
}
