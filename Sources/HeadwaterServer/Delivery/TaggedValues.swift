import HTTP
import StateStore

/// The values of some views of a space with the parts of their tag. A class, because each broadcaster has one, which each
/// answer and each event would copy otherwise.
final class TaggedValues {
    /// The relation of a tag that a client sends to the current values.
    enum Relation {
        case current
        /// The tag belongs to another life of the space or of `common`.
        case ofAnotherLife
        /// The tag belongs to earlier values, or cannot be parsed.
        case unknown
    }

    let space: SpaceName
    private(set) var values: ViewValues
    /// The moment of the last step.
    private(set) var stepMoment = Moment.beginning
    /// The part of the tag that is compared.
    private(set) var opaque = ""
    private(set) var lives: SpaceLives?
    private var mark: LifeMark?
    /// The rest of a tag after the versions: with its quotation mark, and as a field with the end of line.
    private var quotedEnd: [UInt8] = []
    private(set) var fieldEnd: [UInt8] = []

    init(_ space: SpaceName, _ values: ViewValues) {
        self.space = space
        self.values = values
    }

    /// Drops the values. The steps stay.
    func removeAll() {
        values.removeAll()
    }

    /// Stores values for the next step.
    func note(_ news: ViewFrames) {
        values.note(news)
    }

    /// Takes the step to the noted values of a moment and of lives. Returns false if no value changes.
    func takeStep(_ tags: ViewTags, at moment: Moment, in lives: SpaceLives) -> Bool {
        let isNewLife = lives != self.lives
        guard values.takeStep(tags, isNewLife: isNewLife) else { return false }
        if isNewLife {
            self.lives = lives
            mark = tags.mark(of: lives)
        }
        stepMoment = moment
        opaque = (mark?.text ?? "") + values.digest(tags).tag
        quotedEnd = Array("-\(opaque)\"".utf8)
        fieldEnd = quotedEnd + Array("\r\n".utf8)
        values.noteTag(opaque)
        return true
    }

    /// Gives the last step a later moment, which its values are of too.
    func renew(at moment: Moment) {
        stepMoment = moment
    }

    /// Stores patches from now on.
    func keepPatches() {
        values.keepPatches(opaque)
    }

    /// Drops the patches.
    func dropPatches() {
        values.dropPatches()
    }

    /// Returns the step that one of `tags` identifies, and that tag as the client sent it.
    func base(among tags: EntityTags) -> DeltaBase? {
        var step: Int?
        let element = tags.element { text in
            guard let tag = ViewTag(text), let found = values.step(of: tag.opaque) else { return false }
            step = found
            return true
        }
        guard let step, let element else { return nil }
        return DeltaBase(step: step, tag: element)
    }

    /// The tag of the values at a moment.
    func tag(at moment: Moment) -> String { "\(ShownVersions(moment, of: space).text)-\(opaque)" }

    /// Returns the tag of `If-None-Match` if it equals that of the values, in the server's own form.
    @inline(__always)
    func knownTag(of request: borrowing Request) -> RepeatedTag? {
        guard let range = request.head.value(of: .ifNoneMatch), !request.head.isRepeated(.ifNoneMatch),
            range.count > quotedEnd.count + 1,
            request.are(quotedEnd, at: range.upperBound - quotedEnd.count..<range.upperBound),
            request.bytes[range.lowerBound] == UInt8(ascii: "\""),
            let versions = ShownVersions(
                request.bytes.extracting(range.lowerBound + 1..<range.upperBound - quotedEnd.count))
        else { return nil }
        return .versions(versions)
    }

    /// The tag of the values as a client sent it, with its quotation marks.
    func element(of known: RepeatedTag) -> String {
        switch known {
        case .versions(let versions): "\"\(versions.text)-\(opaque)\""
        case .written(let element): element
        }
    }

    /// Returns the tag of a request that equals the tag of the values, in any form. `*` matches any tag.
    func knownTag(among tags: EntityTags, at moment: Moment) -> RepeatedTag? {
        if tags.isAny { return .versions(ShownVersions(moment, of: space)) }
        return tags.element { ViewTag($0).map { $0.opaque == opaque } ?? false }.map { .written($0) }
    }

    /// Returns the relation of a tag, as a client sends it to resume a stream, to the values.
    func relation(of text: String) -> Relation {
        guard let tag = EntityTags(tag: text).tags.lazy.compactMap({ ViewTag($0) }).first, let mark else {
            return .unknown
        }
        return tag.opaque == opaque ? .current : tag.isOf(mark) ? .unknown : .ofAnotherLife
    }
}
