import HTTP
import StateStore

/// Reads of the commits of all spaces: once, with a wait, and as a stream.
final class FeedHandler {
    private let changes: AllChanges
    private let metrics: Metrics

    init(_ changes: AllChanges, _ metrics: Metrics) {
        self.changes = changes
        self.metrics = metrics
    }

    func read(_ request: borrowing Request, _ route: Route, _ responder: Responder) {
        guard responder.hasRight(.admin, for: "this"), let mode = ReadMode(of: request, route, responder) else {
            return
        }
        if mode.isStream {
            let last = route.lastEventID(of: request)
            let start = start(last ?? route.since)
            if last != nil { metrics.resumes[start == .strange ? 1 : 0] += 1 }
            guard let place = responder.takeStream() else { return }
            return changes.stream(responder, after: start, place)
        }
        guard let known = KnownTags(of: request, .ifNoneMatch, responder) else { return }
        FeedLook(responder, after: start(route.since), known.tags, wait: mode.seconds, changes).begin()
    }

    /// The cursor that a text means: none if it is empty. A text that is not a cursor is none that the journal gave.
    private func start(_ text: String?) -> FeedCursor? {
        guard let text, !text.isEmpty else { return nil }
        return FeedCursor(text) ?? .strange
    }
}

extension FeedCursor {
    /// A cursor that no journal gives.
    fileprivate static let strange = FeedCursor(JournalCursor(place: .max, begun: .max), era: 0)
}
