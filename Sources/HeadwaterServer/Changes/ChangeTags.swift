import HTTP
import StateStore

/// The tags of versions, as a journal of this life tells them.
final class ChangeTags {
    private let journal: any Journal
    /// The rest of a tag's field after the version, in the life that it was written for.
    private var end: (life: Life, bytes: [UInt8])?

    private static let start = Array("ETag: \"".utf8)

    init(_ journal: any Journal) {
        self.journal = journal
    }

    /// Returns the tag of a version.
    func tag(of version: Int, in space: SpaceName) -> String {
        SpaceTag(version, in: journal.life(of: space)).text
    }

    /// Writes the tag of a version as the field `ETag`.
    func write(_ version: Int, of space: SpaceName, to writer: inout FieldWriter) {
        let life = journal.life(of: space)
        let bytes: [UInt8]
        if let end, end.life == life {
            bytes = end.bytes
        } else {
            bytes = Array("-\(SpaceTag.opaque(life))\"\r\n".utf8)
            end = (life, bytes)
        }
        writer.field(begunAs: Self.start, version, bytes)
    }

    /// Returns true if the tags of a request match a version.
    func matches(_ tags: EntityTags, _ version: Int, of space: SpaceName) -> Bool {
        tags.isAny || isAny(of: tags.tags, version, of: space)
    }

    /// Returns true if one of some tags is that of a version.
    func isAny(of tags: [String], _ version: Int, of space: SpaceName) -> Bool {
        let lives = journal.lives
        return tags.contains { SpaceTag($0)?.means(version, of: space, in: lives) ?? false }
    }

    /// Returns true if the history of the space goes on from the version that a tag names.
    func isGood(_ tag: SpaceTag, for space: SpaceName) -> Bool { tag.isGood(for: space, in: journal.lives) }
}
