import HTTP
import StateStore

/// The tag of views that a client has sent: `18.7-OPAQUE`, without quotation marks.
///
/// OPAQUE is the mark of the lives, and a digest of the values and of the names of the views. Tags of views are compared
/// by OPAQUE only.
struct ViewTag {
    let versions: ShownVersions
    /// The mark of the lives, and the digest.
    let opaque: Substring

    /// The number of characters of OPAQUE.
    static let opaqueLength = Digest.shortTagLength + Digest.tagLength

    /// Parses a tag; nil if `text` is not a tag of this server.
    init?(_ text: String) {
        guard let dash = text.utf8.firstIndex(of: UInt8(ascii: "-")),
            let versions = ShownVersions(Array(text.utf8[..<dash]).span)
        else { return nil }
        let opaque = text[text.utf8.index(after: dash)...]
        guard opaque.utf8.count == Self.opaqueLength, opaque.utf8.allSatisfy(Digest.isCharacter) else { return nil }
        self.versions = versions
        self.opaque = opaque
    }

    /// Returns true if the tag belongs to these lives.
    func isOf(_ mark: LifeMark) -> Bool { opaque.utf8.starts(with: mark.text.utf8) }

    /// The moment of a space that the versions name.
    func moment(in space: SpaceName) -> Moment {
        space == .common
            ? Moment(version: 0, common: versions.version)
            : Moment(version: versions.version, common: versions.common ?? 0)
    }
}

extension EntityTags {
    /// Returns true if one of the tags is the tag of a view with this OPAQUE, or if the value is `*`.
    func mean(opaque: String) -> Bool {
        isAny || tags.contains { ViewTag($0).map { $0.opaque == opaque } ?? false }
    }
}
