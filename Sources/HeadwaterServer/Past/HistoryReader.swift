import HTTP
import Reactive
import StateStore

/// One stream of the history of a view: each row is an event, and none is left out. A reader that falls behind reads
/// from the journal.
final class HistoryReader: Subscriber, StreamSource, HistoryListener {
    /// The rows of one read at most,
    static let rowsLimit = 128
    /// and their bytes, beyond one row.
    static let queueBytesLimit = 24 * 1_024

    private unowned let feed: HistoryFeed
    private let question: HistoryFeed.Question
    private var position: HistoryStart
    private var queue = Fifo<Piece>()
    /// True if the journal may have commits after `position`.
    private var isBehind = true
    private var isReading = false
    /// The number of the read under way; a read from before a reset brings nothing.
    private var reads = 0
    private var hasBegun = false
    /// True if the stream begins by telling the client to drop what it knows.
    private var isReset: Bool
    /// True if the stream ends once everything in the queue is sent.
    private var isEnding = false
    /// The watch of the view's rule; nil without one.
    private var rule: Watch?

    /// A reader that has read its first rows.
    init(
        _ responder: Responder, _ question: HistoryFeed.Question, _ first: HistoryRows, isReset: Bool,
        _ place: StreamPlace, _ feed: HistoryFeed
    ) {
        self.question = question
        self.isReset = isReset
        self.feed = feed
        position = .after(.moment(first.end))
        super.init(responder.exchange.connection, place)
        enqueue(first)
        rule = feed.watchRule(of: question) { [weak self] refusal in self?.end(with: Problem(refusal)) }
    }

    /// Ends the stream with an event `error`, and sends nothing before it.
    private func end(with problem: Problem) {
        guard !isEnding else { return }
        isEnding = true
        reads += 1
        queue.removeAll()
        queue.append(problem.piece)
        connection.wake()
    }

    func noteCommit() {
        isBehind = true
        readOn()
    }

    func noteForgotten() {
        guard !isEnding else { return }
        queue.removeAll()
        position = .oldest
        reads += 1
        (isReading, isBehind) = (false, true)
        if hasBegun { queue.append(StepEvents.resetPiece) } else { isReset = true }
        connection.wake()
        readOn()
    }

    private func enqueue(_ rows: HistoryRows) {
        for row in rows.rows {
            var text: [UInt8] = []
            EventText.event(id: row.tag, data: row.content, appendingTo: &text)
            queue.append(Piece(text))
        }
        if !rows.isWhole { isBehind = true }
        if rows.waitsForCommon { feed.lookAgain(self) }
    }

    func next() -> Piece? {
        if !hasBegun {
            hasBegun = true
            return Piece(StepEvents.beginning(feed.delivery, isReset: isReset))
        }
        guard let piece = queue.popFirst() else {
            if isEnding { feed.end(self) }
            readOn()
            return nil
        }
        feed.delivery.metrics.frames += 1
        return piece
    }

    /// Reads the missing rows, if the queue is empty.
    private func readOn() {
        guard isBehind, !isReading, !isEnding, !hasEnded, queue.isEmpty else { return }
        isReading = true
        isBehind = false
        reads += 1
        feed.read(question, position, from: nil, rows: Self.rowsLimit, bytes: Self.queueBytesLimit) {
            [weak self, reads] result in
            guard let self, reads == self.reads else { return }
            isReading = false
            take(result)
        }
    }

    private func take(_ result: Result<HistoryRows, PastRefusal>) {
        switch result {
        case .success(let rows):
            position = .after(.moment(rows.end))
            enqueue(rows)
        case .failure(.busy):
            isBehind = true
            return feed.lookAgain(self)
        case .failure(let refusal):
            return end(with: Problem(refusal))
        }
        if !queue.isEmpty { connection.wake() } else { readOn() }
    }

    func left() {
        release()
        rule = nil
        feed.remove(self, from: question.space)
        feed.delivery.metrics.streams -= 1
    }
}
