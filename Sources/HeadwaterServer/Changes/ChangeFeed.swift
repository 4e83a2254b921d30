import Ground
import HTTP
import Sockets
import StateStore

/// The commits of spaces for the clients of one loop that read or follow them.
final class ChangeFeed {
    let delivery: Delivery
    let tags: ChangeTags
    private let journalWriter: any JournalWriter
    private let executor: LoopExecutor
    private var following: JournalSubscription?
    private var readers: [SpaceName: [ObjectIdentifier: ChangeReader]] = [:]
    private var looks: [SpaceName: [ObjectIdentifier: ChangeLook]] = [:]

    init(_ delivery: Delivery, _ journalWriter: any JournalWriter, _ executor: LoopExecutor) {
        self.delivery = delivery
        self.journalWriter = journalWriter
        self.executor = executor
        tags = ChangeTags(journalWriter.journal)
    }

    /// Returns a commit as an event for the readers of a permit.
    func piece(_ record: CommitRecord, _ permit: CommitPermit) -> Piece {
        piece(permit.shown(record, by: delivery.store.registry))
    }

    /// Appends what the readers of a permit are shown of a commit.
    func append(_ record: CommitRecord, _ permit: CommitPermit, to text: inout [UInt8]) {
        ChangeText.append(permit.shown(record, by: delivery.store.registry), to: &text)
    }

    private func piece(_ commit: ShownCommit) -> Piece {
        var data: [UInt8] = []
        ChangeText.append(commit, to: &data)
        return .event(id: tags.tag(of: commit.head.version, in: commit.space), data: data)
    }

    /// Reads commits from the journal: the first `limit` after `version`, or fewer if the reader of a permit is shown many
    /// bytes of them. Without a permit nobody is shown anything: the read only tells whether there are commits.
    func read(
        _ space: SpaceName, after version: Int, limit: Int, for permit: CommitPermit? = nil,
        _ then: @escaping (Result<ChangePage, JournalFailure>) -> Void
    ) {
        let owned = Confined(then)
        journalWriter.read(
            for: executor,
            { [registry = delivery.store.registry] journal in
                do throws(JournalFailure) {
                    return Result<ChangePage, JournalFailure>.success(
                        try ChangePage(of: space, after: version, limit: limit, journal) {
                            permit?.shown($0, by: registry).size ?? 0
                        })
                } catch {
                    return .failure(error)
                }
            },
            then: { owned.value($0) })
    }

    // MARK: Following

    private func follow() {
        guard following == nil else { return }
        let owned = Confined(WeakFeed(self))
        following = journalWriter.journal.follow { [executor] records in
            executor.post { owned.value.feed?.hear(records) }
        }
    }

    private final class WeakFeed {
        weak var feed: ChangeFeed?
        init(_ feed: ChangeFeed) { self.feed = feed }
    }

    private func hear(_ records: [CommitRecord]) {
        for record in records where !record.facts.isEmpty {
            if let readers = readers[record.space] {
                // Readers with equal permits, and those who learn the same part, share one event.
                var made: [(permit: CommitPermit, commit: ShownCommit, piece: Piece)] = []
                for reader in readers.values {
                    reader.hear(record) {
                        if let known = made.first(where: { $0.permit == reader.permit }) { return known.piece }
                        let commit = reader.permit.shown(record, by: self.delivery.store.registry)
                        let piece = made.first { $0.commit.shows(asMuchAs: commit) }?.piece ?? self.piece(commit)
                        made.append((reader.permit, commit, piece))
                        return piece
                    }
                }
            }
            for look in (looks[record.space] ?? [:]).values { look.noteNews() }
        }
    }

    private func endIfUnused() {
        if readers.isEmpty, looks.isEmpty { following = nil }
    }

    // MARK: Reading once

    /// Tells a request of the commits of its space from now on.
    func add(_ look: ChangeLook) {
        looks[look.space, default: [:]][ObjectIdentifier(look)] = look
        follow()
    }

    /// Removes a request that has been answered.
    func remove(_ look: ChangeLook) {
        looks[look.space]?[ObjectIdentifier(look)] = nil
        if looks[look.space]?.isEmpty ?? false { looks[look.space] = nil }
        endIfUnused()
    }

    /// Answers that the journal no longer keeps the commits, and with the version after which it does.
    func answerGone(_ responder: Responder, _ space: SpaceName) {
        findOldest(of: space) { responder.answer(.gone(oldest: $0)) }
    }

    /// Finds the version after which the journal keeps all commits of a space, or 0.
    private func findOldest(of space: SpaceName, _ then: @escaping (Int) -> Void) {
        // The journal says so if it is asked for commits after a version that there never was.
        read(space, after: -1, limit: 1) { result in
            if case .success(.gone(let oldest)) = result { then(oldest) } else { then(0) }
        }
    }

    /// Begins the streams of a space that was deleted anew, and ends the waits for its next commit.
    func noteForgotten(_ space: SpaceName) {
        for reader in (readers[space] ?? [:]).values { reader.reset() }
        for look in (looks[space] ?? [:]).values { look.end(with: .gone(oldest: 0)) }
    }

    // MARK: Streams

    /// Begins a stream of all commits that the journal keeps. With `isReset` it first tells the client to drop what it
    /// knows.
    func streamAnew(_ responder: Responder, _ space: SpaceName, _ place: StreamPlace, isReset: Bool) {
        findOldest(of: space) { [self] in stream(responder, space, place, after: $0, isReset: isReset) }
    }

    /// Begins a stream of all commits after a version, unless the journal no longer keeps them.
    func stream(
        _ responder: Responder, _ space: SpaceName, _ place: StreamPlace, after version: Int, isReset: Bool = false
    ) {
        read(space, after: version, limit: 1) { [self] result in
            guard responder.isOpen else { return }
            switch result {
            case .failure(let failure): return responder.answer(Problem(failure))
            case .success(.gone(let oldest)): return responder.answer(.gone(oldest: oldest))
            case .success(.commits): break
            }
            guard let permit = responder.commitPermit(in: space) else { return }
            let reader = ChangeReader(
                self, after: version, isReset: isReset,
                responder.exchange.connection, place, permit)
            readers[space, default: [:]][ObjectIdentifier(reader)] = reader
            follow()
            responder.stream(reader, isNegotiated: true)
        }
    }

    /// Removes a reader whose stream has ended.
    func remove(_ reader: ChangeReader) {
        readers[reader.space]?[ObjectIdentifier(reader)] = nil
        if readers[reader.space]?.isEmpty ?? false { readers[reader.space] = nil }
        delivery.metrics.streams -= 1
        endIfUnused()
    }

    /// The number of requests that wait.
    var pollersCount: Int { looks.values.joined().count { $0.value.isWaiting } }
}
