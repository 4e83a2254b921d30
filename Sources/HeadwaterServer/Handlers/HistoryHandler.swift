import HTTP
import StateStore

/// Reads of the history of a view: once, with a wait for the next row, and as a stream.
final class HistoryHandler {
    /// The maximum number of rows of an answer, and the number without a limit in the request.
    static let rowsLimit = 1_000
    static let usualRows = 100

    private let names: ViewNames
    private let feed: HistoryFeed
    private let metrics: Metrics

    init(_ names: ViewNames, _ feed: HistoryFeed, _ metrics: Metrics) {
        self.names = names
        self.feed = feed
        self.metrics = metrics
    }

    func read(
        _ request: borrowing Request, _ view: ViewKey, in space: SpaceName, _ route: Route, _ responder: Responder
    ) {
        guard let mode = ReadMode(of: request, route, responder) else { return }
        guard names.has(view, in: space) else { return responder.answer(names.noView(view, in: space)) }
        guard let limit = PageLimit.read(route, in: 1...Self.rowsLimit, standard: Self.usualRows, responder),
            let permit = names.permit([view], in: space, responder)
        else { return }
        let question = HistoryFeed.Question(
            permit: permit, showsCommon: responder.account.token.covers(.common), subject: responder.account.subject)
        if mode.isStream {
            if let last = route.lastEventID(of: request) { return resume(after: last, question, responder) }
        }
        var point: PointParameter?
        if let since = route.since, !since.isEmpty {
            guard let named = PointParameter(since, of: space) else {
                return responder.answer(.unreadablePoint("since"))
            }
            point = named
        }
        let start = point.map { HistoryStart.after($0.point) } ?? .oldest
        if mode.isStream { return stream(question, start, point, isReset: false, responder) }
        guard let known = KnownTags(of: request, .ifNoneMatch, responder) else { return }
        HistoryLook(
            responder, question, start, point, name: "\(view)/history?\(route.since ?? "")&\(limit)", limit: limit,
            known.tags, wait: mode.seconds, feed
        ).begin()
    }

    /// Goes on with a stream after the last event that its client had.
    private func resume(after last: String, _ question: HistoryFeed.Question, _ responder: Responder) {
        let named = PointParameter(last, of: question.space)
        let isGood = named?.isOfThisLife(question.space, feed.delivery.tags, feed.journal.lives) ?? false
        metrics.resumes[isGood ? 0 : 1] += 1
        guard let named, isGood else {
            // An id that cannot be read says nothing about a life that has ended.
            return stream(question, .oldest, nil, isReset: named != nil, responder)
        }
        stream(question, .after(named.point), named, isReset: false, responder)
    }

    /// Begins a stream with the first rows after a start, unless these cannot be read.
    private func stream(
        _ question: HistoryFeed.Question, _ start: HistoryStart, _ point: PointParameter?, isReset: Bool,
        _ responder: Responder
    ) {
        guard let place = responder.takeStream() else { return }
        feed.read(
            question, start, from: point, rows: HistoryReader.rowsLimit, bytes: HistoryReader.bytesLimit
        ) { [feed] result in
            guard responder.isOpen else { return }
            switch result {
            case .failure(let refusal): responder.answer(Problem(refusal))
            case .success(let rows):
                let reader = HistoryReader(responder, question, rows, isReset: isReset, place, feed)
                feed.add(reader, to: question.space)
                responder.stream(reader, isNegotiated: true)
            }
        }
    }
}
