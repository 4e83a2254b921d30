import HTTP
import Reactive
import StateStore

/// One stream of the commits of all spaces, in order of keeping. It reads from the journal whenever its queue is empty,
/// so a slow reader holds no more than one read.
final class FeedReader: Subscriber, StreamSource {
    /// The rows of one read at most,
    static let queueLimit = 128
    /// and the bytes at which one ends.
    static let queueBytesLimit = 24 * 1_024

    private unowned let changes: AllChanges
    /// The cursor up to which the rows are in the queue or were sent.
    private var end: FeedCursor?
    private var queue = Fifo<Piece>()
    /// True if the journal may have rows after `end`.
    private var isBehind = true
    private var isReading = false
    private var hasBegun = false
    private var hasLeft = false
    /// True while the connection takes pieces: it asks again by itself, so a read that ends at once wakes nobody.
    private var isAsked = false
    /// True if the stream ends once everything in the queue is sent.
    private var isEnding = false

    init(_ changes: AllChanges, after start: FeedCursor?, _ connection: Connection, _ place: StreamPlace) {
        self.changes = changes
        end = start
        super.init(connection, place)
    }

    /// Notes that the journal has new rows.
    func noteNews() {
        isBehind = true
        readOn()
    }

    func next() -> Piece? {
        isAsked = true
        defer { isAsked = false }
        if !hasBegun {
            hasBegun = true
            readOn()
            var text: [UInt8] = []
            EventText.retry(milliseconds: changes.delivery.retryMilliseconds(), appendingTo: &text)
            return Piece(text)
        }
        if queue.isEmpty {
            if isEnding { changes.end(self) }
            readOn()
        }
        guard let piece = queue.popFirst() else { return nil }
        changes.delivery.metrics.frames += 1
        return piece
    }

    /// Reads further rows from the journal, if the queue is empty.
    private func readOn() {
        guard hasBegun, isBehind, !isReading, !isEnding, !hasLeft, queue.isEmpty, !hasEnded else { return }
        isReading = true
        isBehind = false
        changes.read(after: end, limit: Self.queueLimit, bytesLimit: Self.queueBytesLimit, of: account.reader) {
            [weak self] result in
            guard let self, !hasLeft else { return }
            isReading = false
            take(result)
        }
    }

    private func take(_ result: Result<FeedPage, JournalFailure>) {
        switch result {
        case .success(.rows(let rows, let end, let isWhole)):
            for row in rows {
                var text: [UInt8] = []
                EventText.event(id: row.cursor.text, data: row.text, appendingTo: &text)
                queue.append(Piece(text))
            }
            self.end = end
            if !isWhole { isBehind = true }
        case .success(.gone(let oldest)): end(with: .gone(oldest: oldest))
        case .failure(let failure): end(with: Problem(failure))
        }
        if !isAsked { connection.wake() }
        readOn()
    }

    private func end(with problem: Problem) {
        queue.append(problem.piece)
        isEnding = true
    }

    func left() {
        hasLeft = true
        release()
        changes.remove(self)
    }
}
