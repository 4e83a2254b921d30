import Ground
import HTTP
import StateStore

/// A point of the past as a request names it in `at`, `since`, `from` or `to`: a version, a version with one of
/// `common`, a tag, or a time.
struct PointParameter: Sendable {
    /// The tag that the request named.
    enum Tag: Sendable {
        /// The tag of a space, of an action's answer or of a commit: `18-OPAQUE`.
        case space(SpaceTag)
        /// The tag of views: `18.7-OPAQUE`.
        case views(ViewTag)
    }

    let point: PastPoint
    /// The tag; nil if the request named none.
    let tag: Tag?

    /// The forms, for problems.
    static let forms = "a version (17, or 17.8 with that of common), a tag, or a time (2026-11-21T22:00:00Z)"

    /// Reads a text; nil if it names no point of a space.
    init?(_ text: String, of space: SpaceName) {
        let isCommon = space == .common
        func point(_ versions: ShownVersions) -> PastPoint {
            guard let common = versions.common, !isCommon else { return .version(versions.version) }
            return .moment(Moment(version: versions.version, common: common))
        }
        if let versions = ShownVersions(Array(text.utf8).span) {
            // A version of `common` has no other beside it.
            guard !isCommon || versions.common == nil else { return nil }
            (self.point, tag) = (point(versions), nil)
            return
        }
        // A tag may come with the quotation marks of its ETag, and with what a proxy has added.
        for candidate in EntityTags(tag: text).tags {
            if let tag = SpaceTag(candidate) {
                (self.point, self.tag) = (.version(tag.version), .space(tag))
                return
            }
            if let tag = ViewTag(candidate) {
                (self.point, self.tag) = (point(tag.versions), .views(tag))
                return
            }
        }
        guard let time = RFC3339.microseconds(of: text) else { return nil }
        (self.point, tag) = (.time(Timestamp(microseconds: time)), nil)
    }

    /// Returns true if the tag, if there is one, belongs to the current lives of the space.
    func isOfThisLife(_ space: SpaceName, _ tags: ViewTags, _ lives: LifeTable) -> Bool {
        switch tag {
        case nil: true
        case .space(let tag): tag.isGood(for: space, in: lives)
        case .views(let tag):
            (tag.versions.common == nil) == (space == .common) && tag.isOf(tags.mark(of: tags.lives(of: space)))
        }
    }

    /// The compared part of the tag of views; nil if the request named none.
    var opaque: String? { if case .views(let tag)? = tag { String(tag.opaque) } else { nil } }
}
