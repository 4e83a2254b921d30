import HTTP
import Reactive
import StateStore

/// One stream of the commits of all spaces, in order of keeping. It reads from the journal whenever its queue is empty,
/// so a slow reader holds no more than one read.
final class FeedReader: StreamSource, TokenReader {
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
    private let client: Client

    /// The connection of a reader, its use of a token, and its rights.
    struct Client {
        let connection: Connection
        let use: TokenUse
        let reader: Reader

        init(_ connection: Connection, _ use: TokenUse, _ reader: Reader) {
            self.connection = connection
            self.use = use
            self.reader = reader
        }
    }

    init(_ changes: AllChanges, after start: FeedCursor?, _ client: Client) {
        self.changes = changes
        end = start
        self.client = client
        client.use.begin(self)
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
        guard hasBegun, isBehind, !isReading, !isEnding, !hasLeft, queue.isEmpty, !client.use.hasEnded else { return }
        isReading = true
        isBehind = false
        changes.read(after: end, limit: Self.queueLimit, bytesLimit: Self.queueBytesLimit, of: client.reader) {
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
        if !isAsked { client.connection.wake() }
        readOn()
    }

    private func end(with problem: Problem) {
        queue.append(problem.piece)
        isEnding = true
    }

    func left() {
        hasLeft = true
        client.use.end()
        changes.remove(self)
    }

    func tokenWithdrawn() { client.connection.endStream() }
}
