import HTTP
import JSON
import Streams

/// One who listens to a run. Who is too slow loses the oldest values, and never the last one, nor the end.
final class StreamReader: StreamSource, TurnEndTask, TokenReader {
    /// The id of the last event of a run: who comes back with it has had everything.
    static let endTag = "end"
    /// How many values wait for one reader at the most,
    static let queueLimit = 256
    /// and how many bytes of them.
    static let queueBytesLimit = 64 * 1_024

    private unowned let delivery: Delivery
    private let connection: Connection
    private let use: TokenUse
    private var queue: [Piece] = []
    private var queueBytes = 0
    private var isOver = false
    private var isDirty = false
    private var hasLeft = false
    /// What keeps the run going.
    private var run: AnyObject?

    init(_ delivery: Delivery, _ connection: Connection, _ use: TokenUse) {
        self.delivery = delivery
        self.connection = connection
        self.use = use
        var text: [UInt8] = []
        EventText.retry(milliseconds: delivery.retryMilliseconds(), appendingTo: &text)
        queue.append(Piece(text))
        queueBytes = queue[0].count
        use.begin(self)
    }

    /// Keeps the run going until the reader leaves, or it ends.
    func hold(_ run: AnyObject) {
        if !isOver, !hasLeft { self.run = run }
    }

    func hear(_ event: StreamEvent) {
        guard !isOver, !hasLeft else { return }
        var text: [UInt8] = []
        switch event {
        case .value(let value): EventText.event(data: value.written, appendingTo: &text)
        case .end:
            EventText.event(id: Self.endTag, name: "end", data: Array("{}".utf8), appendingTo: &text)
            isOver = true
        case .failure(let failure):
            EventText.event(id: Self.endTag, name: "error", data: failure.problem.written, appendingTo: &text)
            isOver = true
        }
        enqueue(Piece(text))
        if isOver { run = nil }
        guard !isDirty else { return }
        isDirty = true
        delivery.noteDirty(self)
    }

    /// Adds an event, and drops the oldest beyond the limits.
    private func enqueue(_ piece: Piece) {
        while !queue.isEmpty, queue.count >= Self.queueLimit || queueBytes + piece.count > Self.queueBytesLimit {
            queueBytes -= queue.removeFirst().count
            delivery.metrics.conflated += 1
        }
        queue.append(piece)
        queueBytes += piece.count
    }

    /// Sends what has come in this turn.
    func endTurn() {
        isDirty = false
        connection.wake()
    }

    func next() -> Piece? {
        guard !queue.isEmpty else {
            if isOver { delivery.afterwards { [weak connection] in connection?.endStream() } }
            return nil
        }
        delivery.metrics.frames += 1
        let piece = queue.removeFirst()
        queueBytes -= piece.count
        return piece
    }

    func left() {
        hasLeft = true
        run = nil
        use.end()
        delivery.metrics.streams -= 1
    }

    func tokenWithdrawn() { connection.endStream() }
}
