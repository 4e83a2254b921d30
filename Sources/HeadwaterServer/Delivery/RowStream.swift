import HTTP
import Reactive

/// The next rows of a stream.
enum RowPage {
    /// Rows as events; `isWhole` is true if there are no later ones by now.
    case events([Piece], isWhole: Bool)
    /// The rows cannot be read now. The stream reads them when it is told of news.
    case later
    /// The rows cannot be read any more, and the stream ends.
    case refused(Problem)
}

/// One stream of rows in their order, of which none is left out: the commits of a space, those of all spaces, or the
/// history of a view. It reads the next page once the client has taken the last one, so a slow client holds one page.
class RowStream: Subscriber, StreamSource {
    /// The rows of a page at most,
    static let rowsLimit = 128
    /// and their bytes, beyond one row.
    static let bytesLimit = 24 * 1_024

    let delivery: Delivery
    private var queue = Fifo<Piece>()
    private var queueBytes = 0
    /// True if there may be rows after those that were read.
    private var isBehind = true
    private(set) var isReading = false
    /// The number of the read under way; a read from before a reset brings nothing.
    private var reads = 0
    private var hasBegun = false
    /// True while the connection takes pieces: it asks again by itself, so a read that ends at once wakes nobody.
    private var isAsked = false
    /// True if the stream begins by telling the client to drop what it knows.
    private var isReset: Bool
    private var ending = StreamEnding()

    init(_ delivery: Delivery, _ connection: Connection, _ place: StreamPlace, isReset: Bool = false) {
        self.delivery = delivery
        self.isReset = isReset
        super.init(connection, place)
    }

    // MARK: The rows

    /// Reads the rows after those that were read, and passes them to `take`, which asks for the page only if it is still
    /// wanted: a read from before a reset moves nothing.
    func readPage(_ take: @escaping (@autoclosure () -> RowPage) -> Void) {
        preconditionFailure("a stream of rows reads pages")
    }

    /// Goes back to the first row, because the space was deleted.
    func rewind() { preconditionFailure("this stream is of no space") }

    /// Notes that the stream has ended.
    func noteEnd() { preconditionFailure("a stream of rows is forgotten") }

    // MARK: News

    /// Notes that there may be new rows.
    final func noteNews() {
        isBehind = true
        readOn()
    }

    /// Sends the row that follows those that were read. Returns false if the client has yet to take others: the stream
    /// reads it later.
    final func push(_ event: () -> Piece) -> Bool {
        guard !isBehind, !isReading, !ending.isUnderWay, queue.count < Self.rowsLimit, queueBytes < Self.bytesLimit
        else {
            noteNews()
            return false
        }
        enqueue(event())
        connection.wake()
        return true
    }

    /// Begins anew with the first row, and tells the client to drop what it knows.
    final func reset() {
        guard !ending.isUnderWay else { return }
        clear()
        rewind()
        isBehind = true
        if hasBegun { enqueue(StepEvents.resetPiece) } else { isReset = true }
        connection.wake()
        readOn()
    }

    /// Ends the stream with an event `error`, and sends nothing before it.
    final func end(with problem: Problem) {
        clear()
        ending.begin(with: problem.piece)
        if !isAsked { connection.wake() }
    }

    /// Drops what the client has yet to take, and what a read under way brings.
    private func clear() {
        queue.removeAll()
        queueBytes = 0
        reads += 1
        isReading = false
    }

    // MARK: Pages

    private func enqueue(_ piece: Piece) {
        queue.append(piece)
        queueBytes += piece.count
    }

    /// Reads the next page, if the client has taken all rows.
    private func readOn() {
        guard hasBegun, isBehind, !isReading, !ending.isUnderWay, !hasEnded, queue.isEmpty else { return }
        (isReading, isBehind) = (true, false)
        reads += 1
        readPage { [weak self, reads] page in
            guard let self, reads == self.reads else { return }
            isReading = false
            take(page())
        }
    }

    /// Takes a page.
    final func take(_ page: RowPage) {
        switch page {
        case .events(let events, let isWhole):
            for event in events { enqueue(event) }
            if !isWhole { isBehind = true }
        case .later:
            isBehind = true
            return
        case .refused(let problem):
            return end(with: problem)
        }
        if queue.isEmpty { readOn() } else if hasBegun, !isAsked { connection.wake() }
    }

    // MARK: The stream

    final func next() -> Piece? {
        isAsked = true
        defer { isAsked = false }
        guard hasBegun else {
            hasBegun = true
            readOn()
            return Piece(StepEvents.beginning(delivery, isReset: isReset))
        }
        readOn()
        if ending.isUnderWay { return ending.next(connection, delivery) }
        guard let piece = queue.popFirst() else { return nil }
        queueBytes -= piece.count
        delivery.metrics.frames += 1
        return piece
    }

    final func left() {
        clear()
        release()
        noteEnd()
    }
}
