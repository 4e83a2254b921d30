import HTTP
import JSON
import Streams

/// One who listens to a run. Who is too slow loses the oldest values, and never the last one, nor the end.
final class StreamReader: StreamSource, Settling {
    /// The id of the last event of a run: who comes back with it has had everything.
    static let endTag = "end"
    /// How many values wait for one reader at the most,
    static let queueLimit = 256
    /// and how many bytes of them.
    static let queueBytesLimit = 256 * 1_024

    private unowned let delivery: Delivery
    private weak var connection: Connection?
    private var queue: [Piece] = []
    private var queueBytes = 0
    private var isOver = false
    private var isDirty = false
    private var hasLeft = false
    /// What keeps the run going.
    private var run: AnyObject?

    init(_ delivery: Delivery, _ connection: Connection) {
        self.delivery = delivery
        self.connection = connection
        var text: [UInt8] = []
        EventText.retry(milliseconds: delivery.retryMilliseconds(), appendingTo: &text)
        queue.append(Piece(text))
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
        let piece = Piece(text)
        while queue.count >= Self.queueLimit || queueBytes + piece.count > Self.queueBytesLimit && queue.count > 1 {
            queueBytes -= queue.removeFirst().count
            delivery.metrics.conflated += 1
        }
        queue.append(piece)
        queueBytes += piece.count
        if isOver { run = nil }
        guard !isDirty else { return }
        isDirty = true
        delivery.noteDirty(self)
    }

    /// Sends what has come in this turn.
    func settle() {
        isDirty = false
        connection?.wake()
    }

    func next(for connection: Connection) -> Piece? {
        guard !queue.isEmpty else {
            if isOver { delivery.afterwards { [weak connection] in connection?.endStream() } }
            return nil
        }
        delivery.metrics.frames += 1
        let piece = queue.removeFirst()
        queueBytes -= piece.count
        return piece
    }

    func left(_ connection: Connection) {
        hasLeft = true
        run = nil
        delivery.streamLeft(connection)
    }
}
