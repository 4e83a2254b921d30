import HTTP
import JSON
import Reactive
import StateStore

/// One stream of all commits of a space in their order. A reader that falls behind reads from the journal.
final class ChangeReader: Subscriber, StreamSource {
    /// The commits that wait for one reader at most,
    static let queueLimit = 128
    /// and their bytes, beyond one event.
    static let queueBytesLimit = 24 * 1_024

    private unowned let feed: ChangeFeed
    /// The version up to which the commits are in the queue or were sent.
    private(set) var version: Int
    private var queue = Fifo<Piece>()
    private var queueBytes = 0
    /// True if the journal may have commits after `version`.
    private var isBehind = true
    /// The number of the read under way; a read from before a reset brings nothing.
    private var reads = 0
    private var isReading = false
    private var hasBegun = false
    /// True while the connection takes pieces: it asks again by itself, so a read that ends at once wakes nobody.
    private var isAsked = false
    /// True if the stream begins by telling the client to drop what it knows.
    private var isReset: Bool
    let permit: CommitPermit
    /// True if the stream ends once everything in the queue is sent.
    private var isEnding = false

    init(
        _ feed: ChangeFeed, after version: Int, isReset: Bool, _ connection: Connection, _ place: StreamPlace,
        _ permit: CommitPermit
    ) {
        self.feed = feed
        self.version = version
        self.isReset = isReset
        self.permit = permit
        super.init(connection, place)
    }

    /// Takes a commit that the journal has just written.
    func hear(_ record: CommitRecord, _ piece: () -> Piece) {
        guard record.version > version, !hasEnded else { return }
        guard record.version == version + 1, !isBehind, hasRoom else {
            isBehind = true
            readOn()
            return
        }
        version = record.version
        enqueue(piece())
        connection.wake()
    }

    /// Begins anew with the first commit of a space that was deleted, and tells the client to drop what it knows.
    func reset() {
        guard !isEnding else { return }
        queue.removeAll()
        (queueBytes, version) = (0, 0)
        reads += 1
        (isReading, isBehind) = (false, true)
        if hasBegun { enqueue(StepEvents.resetPiece) } else { isReset = true }
        connection.wake()
        readOn()
    }

    var space: SpaceName { permit.space }

    private var hasRoom: Bool { queue.count < Self.queueLimit && queueBytes < Self.queueBytesLimit }

    private func enqueue(_ piece: Piece) {
        queue.append(piece)
        queueBytes += piece.count
    }

    func next() -> Piece? {
        isAsked = true
        defer { isAsked = false }
        if !hasBegun {
            hasBegun = true
            readOn()
            return Piece(StepEvents.beginning(feed.delivery, isReset: isReset))
        }
        if queue.isEmpty {
            if isEnding { feed.end(self) }
            readOn()
        }
        guard let piece = queue.popFirst() else { return nil }
        queueBytes -= piece.count
        feed.delivery.metrics.frames += 1
        return piece
    }

    /// Reads the missing commits from the journal, if the queue is empty.
    private func readOn() {
        guard isBehind, !isReading, !isEnding, queue.isEmpty else { return }
        isReading = true
        reads += 1
        feed.read(space, after: version, limit: Self.queueLimit, for: permit) { [weak self, reads] result in
            guard let self, reads == self.reads else { return }
            isReading = false
            take(result)
        }
    }

    private func take(_ result: Result<ChangePage, JournalFailure>) {
        switch result {
        case .success(.commits(let records, let isWhole)):
            var size = 0
            for record in records where record.version == version + 1 {
                guard size < Self.queueBytesLimit else { break }
                let piece = feed.piece(record, permit)
                size += piece.count
                version = record.version
                enqueue(piece)
            }
            // Commits that came after the read were heard of.
            if isWhole, records.last.map({ $0.version <= version }) ?? true, !feed.hasNewer(than: version, in: space) {
                isBehind = false
            }
        case .success(.gone(let oldest)):
            end(with: Problem.gone(oldest: oldest))
        case .failure(let failure):
            end(with: Problem(failure))
        }
        if !isAsked { connection.wake() }
    }

    private func end(with problem: Problem) {
        enqueue(problem.piece)
        isEnding = true
    }

    func left() {
        release()
        feed.remove(self)
    }
}

extension Problem {
    /// Commits are asked for that are not kept any more.
    static func gone(oldest: Int) -> Problem {
        var problem = Problem(
            .gone,
            "these commits are no longer stored: read the views again, or continue with since=\(oldest)")
        problem.extra["oldest"] = .number(JSON.Number(oldest))
        return problem
    }
}
