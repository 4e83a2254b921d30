import HTTP
import StateStore

/// One stream of the history of a view: each row is an event.
final class HistoryReader: RowStream, HistoryListener {
    private unowned let feed: HistoryFeed
    private let question: HistoryFeed.Question
    private var position: HistoryStart
    /// The watch of the view's rule; nil without one.
    private var rule: Watch?

    /// A reader that has read its first rows.
    init(
        _ responder: Responder, _ question: HistoryFeed.Question, _ first: HistoryRows, isReset: Bool,
        _ place: StreamPlace, _ feed: HistoryFeed
    ) {
        self.question = question
        self.feed = feed
        position = .after(.moment(first.end))
        super.init(feed.delivery, responder.exchange.connection, place, isReset: isReset)
        take(page(first))
        rule = feed.watchRule(of: question) { [weak self] refusal in self?.end(with: Problem(refusal)) }
    }

    func noteCommit() { noteNews() }

    func noteForgotten() { reset() }

    override func readPage(_ take: @escaping (@autoclosure () -> RowPage) -> Void) {
        feed.read(question, position, from: nil, rows: Self.rowsLimit, bytes: Self.bytesLimit) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let rows): take(page(rows))
            case .failure(.busy): take(later())
            case .failure(let refusal): take(.refused(Problem(refusal)))
            }
        }
    }

    private func later() -> RowPage {
        feed.lookAgain(self)
        return .later
    }

    private func page(_ rows: HistoryRows) -> RowPage {
        position = .after(.moment(rows.end))
        if rows.waitsForCommon { feed.lookAgain(self) }
        return .events(rows.rows.map { .event(id: $0.tag, data: $0.content) }, isWhole: rows.isWhole)
    }

    override func rewind() { position = .oldest }

    override func noteEnd() {
        rule = nil
        feed.remove(self, from: question.space)
        delivery.metrics.streams -= 1
    }
}
