import JSON
import HTTP
import StateStore

/// A stream of the commits of a space, every one of them in order. Whoever falls behind is fed from the journal.
final class ChangeReader: StreamSource {
    /// How many commits are held for one reader at the most.
    static let queueLimit = 128
    /// How much of them.
    static let queueBytesLimit = 256 * 1_024

    private unowned let feed: ChangeFeed
    let space: SpaceName
    /// The version up to which the commits are in the queue or were sent.
    private(set) var version: Int
    private var queue: [Piece] = []
    private var queueBytes = 0
    private var head = 0
    /// Whether commits after `version` are known to be in the journal.
    private var isBehind = true
    private var isReading = false
    private var hasBegun = false
    /// Set if the stream begins by saying that nothing of before is so.
    private let isReset: Bool
    private(set) weak var connection: Connection?
    /// Whether the stream has to end, once everything before was sent.
    private var isEnding = false

    init(_ feed: ChangeFeed, _ space: SpaceName, after version: Int, isReset: Bool, _ connection: Connection) {
        self.feed = feed
        self.space = space
        self.version = version
        self.isReset = isReset
        self.connection = connection
    }

    /// Hears of a commit that has just been kept.
    func hear(_ record: CommitRecord, _ piece: () -> Piece) {
        guard record.version > version else { return }
        guard record.version == version + 1, !isBehind, hasRoom else {
            isBehind = true
            readOn()
            return
        }
        version = record.version
        enqueue(piece())
        connection?.wake()
    }

    private var hasRoom: Bool { queue.count - head < Self.queueLimit && queueBytes < Self.queueBytesLimit }

    private func enqueue(_ piece: Piece) {
        queue.append(piece)
        queueBytes += piece.count
    }

    func next(for connection: Connection) -> Piece? {
        if !hasBegun {
            hasBegun = true
            readOn()
            var text: [UInt8] = []
            EventText.retry(milliseconds: feed.delivery.retryMilliseconds(), appendingTo: &text)
            if isReset { EventText.event(name: "reset", data: Array("{}".utf8), appendingTo: &text) }
            return Piece(text)
        }
        guard head < queue.count else {
            if isEnding { feed.end(self) }
            readOn()
            return nil
        }
        let piece = queue[head]
        head += 1
        queueBytes -= piece.count
        feed.delivery.metrics.frames += 1
        if head == queue.count {
            queue.removeAll(keepingCapacity: true)
            head = 0
        }
        return piece
    }

    /// Reads what is missing from the journal, when there is room for it.
    private func readOn() {
        guard isBehind, !isReading, !isEnding, head == queue.count else { return }
        isReading = true
        feed.read(space, after: version, limit: Self.queueLimit) { [weak self] result in
            guard let self else { return }
            isReading = false
            take(result)
        }
    }

    private func take(_ result: Result<CommitHistory, JournalFailure>) {
        switch result {
        case .success(.commits(let records)):
            var size = 0
            for record in records where record.version == version + 1 {
                guard size < Self.queueBytesLimit else { break }
                let piece = feed.piece(record)
                size += piece.count
                version = record.version
                enqueue(piece)
            }
            // Fewer than were asked for: that was all there is, unless more has come meanwhile, which would have been heard of.
            if records.count < Self.queueLimit, records.last.map({ $0.version <= version }) ?? true,
                !feed.hasNewer(than: version, in: space)
            {
                isBehind = false
            }
        case .success(.gone(let oldest)):
            end(with: Problem.gone(oldest: oldest))
        case .failure(let failure):
            end(with: Problem(failure))
        }
        connection?.wake()
    }

    private func end(with problem: Problem) {
        var text: [UInt8] = []
        EventText.event(name: "error", data: problem.bytes, appendingTo: &text)
        enqueue(Piece(text))
        isEnding = true
    }

    func left(_ connection: Connection) {
        feed.remove(self)
        feed.delivery.streamLeft(connection)
    }
}

extension Problem {
    /// Commits are asked for that are not kept any more.
    static func gone(oldest: Int) -> Problem {
        var problem = Problem(
            .gone, "those commits are not kept any more: read the views anew, or follow what there is with since=\(oldest)")
        problem.extra["oldest"] = .number(JSON.Number(oldest))
        return problem
    }
}
