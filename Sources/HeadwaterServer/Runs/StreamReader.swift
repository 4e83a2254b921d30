import HTTP
import JSON
import StateStore
import Streams

/// One stream of a run. A reader that is too slow loses the oldest values, but never the newest, nor the end.
final class StreamReader: Subscriber, StreamSource, TurnEndTask {
    /// The id of the last event of a run: a client that sends it has had all events.
    static let endTag = "end"

    private unowned let delivery: Delivery
    private var queue = EventQueue()
    private var isOver = false
    private var isDirty = false
    private var hasLeft = false
    /// The run, which goes on while a reader holds it.
    private var run: AnyObject?
    /// The watch of the rules of the views that feed the run; nil without rules.
    private var rules: Watch?
    /// The features under which `mayGoOn` was true.
    private var registry: Registry
    /// Returns true if other features have the same rules for the sources of the run.
    private let mayGoOn: () -> Bool

    init(_ delivery: Delivery, _ connection: Connection, _ place: StreamPlace, mayGoOn: @escaping () -> Bool) {
        registry = delivery.store.registry
        self.mayGoOn = mayGoOn
        self.delivery = delivery
        super.init(connection, place)
        var text: [UInt8] = []
        EventText.retry(milliseconds: delivery.retryMilliseconds(), appendingTo: &text)
        _ = queue.append(Piece(text))
    }

    /// Keeps the run going until the reader leaves, or it ends.
    func hold(_ run: AnyObject) {
        if !isOver, !hasLeft { self.run = run }
    }

    /// Keeps the watch of the rules of the views that feed the run.
    func hold(_ rules: Watch?) {
        if !isOver, !hasLeft { self.rules = rules }
    }

    /// Ends the stream with an event `error`, and sends nothing before it.
    func refuse(_ refusal: Refusal) {
        guard !isOver, !hasLeft else { return }
        queue = EventQueue()
        _ = queue.append(.event(id: Self.endTag, name: "error", data: Problem(refusal).bytes))
        end()
    }

    private func end() {
        isOver = true
        (run, rules) = (nil, nil)
        noteDirty()
    }

    func hear(_ event: StreamEvent) {
        guard !isOver, !hasLeft, isPermitted else { return }
        let piece: Piece
        switch event {
        case .value(let value): piece = .event(data: value.written)
        case .end:
            piece = .event(id: Self.endTag, name: "end", data: Array("{}".utf8))
            isOver = true
        case .failure(let failure):
            piece = .event(id: Self.endTag, name: "error", data: failure.problem.written)
            isOver = true
        }
        delivery.metrics.conflated += queue.append(piece)
        if isOver { (run, rules) = (nil, nil) }
        noteDirty()
    }

    /// True if the features have the rules with which the run began. Else the stream ends: its client comes back, and is
    /// asked anew.
    private var isPermitted: Bool {
        if delivery.store.registry === registry { return true }
        registry = delivery.store.registry
        if mayGoOn() { return true }
        queue = EventQueue()
        end()
        return false
    }

    private func noteDirty() {
        guard !isDirty else { return }
        isDirty = true
        delivery.noteDirty(self)
    }

    /// Sends what has come in this turn.
    func endTurn() {
        isDirty = false
        connection.wake()
    }

    func next() -> Piece? {
        guard let piece = queue.popFirst() else {
            if isOver { delivery.afterwards { [weak connection] in connection?.endStream() } }
            return nil
        }
        delivery.metrics.frames += 1
        return piece
    }

    func left() {
        hasLeft = true
        (run, rules) = (nil, nil)
        release()
        delivery.metrics.streams -= 1
    }
}

/// The events that wait for one reader of a run. Beyond its limits it drops the oldest, but never the newest.
struct EventQueue {
    /// The events at most,
    static let limit = 256
    /// and their bytes, beyond one event.
    static let bytesLimit = 24 * 1_024

    private var pieces: [Piece] = []
    private(set) var bytes = 0

    var count: Int { pieces.count }
    var isEmpty: Bool { pieces.isEmpty }

    /// Adds an event. Returns the number of events that it dropped.
    mutating func append(_ piece: Piece) -> Int {
        var dropped = 0
        while !pieces.isEmpty, pieces.count >= Self.limit || bytes + piece.count > Self.bytesLimit {
            _ = popFirst()
            dropped += 1
        }
        pieces.append(piece)
        bytes += piece.count
        return dropped
    }

    /// Removes the oldest event.
    mutating func popFirst() -> Piece? {
        guard !pieces.isEmpty else { return nil }
        let piece = pieces.removeFirst()
        bytes -= piece.count
        return piece
    }
}
