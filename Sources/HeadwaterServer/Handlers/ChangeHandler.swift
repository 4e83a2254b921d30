import HTTP
import StateStore

/// Reads of the commits of a space: once, with a wait, and as a stream.
final class ChangeHandler {
    private let changes: ChangeFeed
    private let metrics: Metrics

    init(_ changes: ChangeFeed, _ metrics: Metrics) {
        self.changes = changes
        self.metrics = metrics
    }

    func read(_ request: borrowing Request, of space: SpaceName, _ route: Route, _ responder: Responder) {
        guard let mode = ReadMode(of: request, route, responder) else { return }
        if mode.isStream {
            guard route["limit"] == nil else {
                return responder.answer(Problem(.invalid, "a stream of changes has no limit"))
            }
            if let last = route.lastEventID(of: request) { return resume(after: last, of: space, responder) }
            return stream(of: space, route, responder)
        }
        let most = ChangePage.commitsLimit
        guard let limit = PageLimit.read(route, in: 1...most, standard: most, responder),
            let start = start(route, responder)
        else { return }
        let version: Int
        switch start {
        case .version(let number): version = number
        case .tag(let tag) where changes.tags.isGood(tag, for: space): version = tag.version
        case .tag: return changes.answerGone(responder, space)
        }
        guard let known = KnownTags(of: request, .ifNoneMatch, responder),
            let permit = responder.commitPermit(in: space)
        else { return }
        ChangeLook(responder, permit, after: version, limit: limit, known.tags, wait: mode.seconds, changes).begin()
    }

    /// Returns the start that the parameter `since` names, by default 0; answers 422 and returns nil if it cannot be
    /// read.
    private func start(_ route: Route, _ responder: Responder) -> ChangeStart? {
        guard let since = route.since else { return .version(0) }
        if let start = ChangeStart(since) { return start }
        responder.answer(Problem(.invalid, "since must be a version or a tag"))
        return nil
    }

    /// Begins a stream at the start that the request names.
    private func stream(of space: SpaceName, _ route: Route, _ responder: Responder) {
        guard let start = start(route, responder), let place = responder.takeStream() else { return }
        switch start {
        case .version(let version): changes.stream(responder, space, place, after: version)
        case .tag(let tag) where changes.tags.isGood(tag, for: space):
            changes.stream(responder, space, place, after: tag.version)
        case .tag: changes.streamAnew(responder, space, place, isReset: true)
        }
    }

    /// Goes on with a stream after the last event that its client had.
    private func resume(after last: String, of space: SpaceName, _ responder: Responder) {
        let start = ChangeStart(last)
        var version: Int?
        switch start {
        case .version(let number): version = number
        case .tag(let tag): if changes.tags.isGood(tag, for: space) { version = tag.version }
        case nil: break
        }
        metrics.resumes[version == nil ? 1 : 0] += 1
        guard let place = responder.takeStream() else { return }
        if let version { return changes.stream(responder, space, place, after: version) }
        // An id that cannot be read says nothing about a life that has ended.
        changes.streamAnew(responder, space, place, isReset: start != nil)
    }
}

/// The point after which a client asks for commits: a version, or the tag of one.
enum ChangeStart {
    case version(Int)
    case tag(SpaceTag)

    /// The point that a text means; nil where it means none.
    init?(_ text: String) {
        if !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(text) {
            self = .version(number)
        } else if let tag = SpaceTag(sent: text) {
            self = .tag(tag)
        } else {
            return nil
        }
    }
}
