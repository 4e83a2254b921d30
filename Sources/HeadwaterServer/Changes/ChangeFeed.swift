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
    private var readers: [SpaceName: [ChangeReader]] = [:]
    private var polls: [SpaceName: [ChangePoll]] = [:]
    /// The requests that read and may wait afterwards, by their space.
    private var pending: [SpaceName: Int] = [:]
    /// The newest version heard of, of each space that has a reader, a poll or a pending request.
    private var newest: [SpaceName: Int] = [:]

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

    private func piece(_ commit: ShownCommit) -> Piece {
        var data: [UInt8] = []
        ChangeText.append(commit, to: &data)
        return .event(id: tags.tag(of: commit.head.version, in: commit.space), data: data)
    }

    func hasNewer(than version: Int, in space: SpaceName) -> Bool { newest[space] ?? 0 > version }

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

    private func follow(_ space: SpaceName) {
        newest[space] = newest[space] ?? 0
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
            if newest[record.space] != nil { newest[record.space] = record.version }
            if let readers = readers[record.space] {
                // Readers with equal permits, and those who learn the same part, share one event.
                var made: [(permit: CommitPermit, commit: ShownCommit, piece: Piece)] = []
                for reader in readers {
                    reader.hear(record) {
                        if let known = made.first(where: { $0.permit == reader.permit }) { return known.piece }
                        let commit = reader.permit.shown(record, by: self.delivery.store.registry)
                        let piece = made.first { $0.commit.shows(asMuchAs: commit) }?.piece ?? self.piece(commit)
                        made.append((reader.permit, commit, piece))
                        return piece
                    }
                }
            }
            if let told = polls.removeValue(forKey: record.space) {
                for poll in told { poll.end { answer($0, poll.query.answeringAtOnce) } }
                forgetIfUnused(record.space)
            }
        }
    }

    private func forgetIfUnused(_ space: SpaceName) {
        if readers[space] == nil, polls[space] == nil, pending[space] == nil { newest[space] = nil }
        if newest.isEmpty { following = nil }
    }

    // MARK: Reading once

    /// Answers with the commits that a query asks for. If the client has them all, the request waits for more, as long
    /// as the query lets it.
    func answer(_ responder: Responder, _ query: ChangeQuery) {
        let space = query.space
        guard let permit = responder.commitPermit(in: space) else { return }
        // The feed hears of newer commits from here on, so that none falls between the read and the wait.
        if query.mayWait {
            follow(space)
            pending[space, default: 0] += 1
        }
        read(space, after: query.version, limit: query.limit, for: permit) { [self] result in
            if query.mayWait, let count = pending[space] { pending[space] = count > 1 ? count - 1 : nil }
            guard responder.isOpen else { return forgetIfUnused(space) }
            switch result {
            case .failure(let failure): responder.answer(Problem(failure))
            case .success(.gone(let oldest)): responder.answer(.gone(oldest: oldest))
            case .success(.commits(let records, _)):
                let last = records.last?.version ?? query.version
                let isKnown = query.tags.map { tags.matches($0, last, of: space) } ?? (query.mayWait && records.isEmpty)
                guard isKnown else {
                    send(records, permit, upTo: last, responder, wait: query.wait)
                    return forgetIfUnused(space)
                }
                guard query.mayWait, let seconds = query.wait, seconds > 0 else {
                    responder.answerUnchanged(tag: tags.tag(of: last, in: space), wait: query.wait)
                    return forgetIfUnused(space)
                }
                guard !hasNewer(than: last, in: space) else { return answer(responder, query) }
                let poll = ChangePoll(responder, query, of: space, known: last, self)
                polls[space, default: []].append(poll)
                poll.begin(seconds: seconds)
                return
            }
            forgetIfUnused(space)
        }
    }

    private func send(
        _ records: [CommitRecord], _ permit: CommitPermit, upTo last: Int, _ responder: Responder, wait: Int?
    ) {
        var content: [UInt8] = [UInt8(ascii: "[")]
        for (index, record) in records.enumerated() {
            if index > 0 { content.append(UInt8(ascii: ",")) }
            ChangeText.append(permit.shown(record, by: delivery.store.registry), to: &content)
        }
        content.append(UInt8(ascii: "]"))
        let tag = tags.tag(of: last, in: permit.space)
        responder.answer(.ok, "application/json", content) { writer in
            writer.quoted("ETag", tag)
            writer.field("Cache-Control", "no-cache")
            writer.field("Vary", "Accept")
            if let wait { Responder.addWait(wait, &writer) }
        }
    }

    /// Removes a poll that has come to its end.
    func remove(_ poll: ChangePoll) {
        let space = poll.query.space
        polls[space]?.removeAll { $0 === poll }
        if polls[space]?.isEmpty ?? false { polls[space] = nil }
        forgetIfUnused(space)
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
        if newest[space] != nil { newest[space] = 0 }
        for reader in readers[space] ?? [] { reader.reset() }
        for poll in polls.removeValue(forKey: space) ?? [] { poll.end { $0.answer(.gone(oldest: 0)) } }
        forgetIfUnused(space)
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
            follow(space)
            let reader = ChangeReader(
                self, after: version, isReset: isReset,
                responder.exchange.connection, place, permit)
            readers[space, default: []].append(reader)
            responder.stream(reader, isNegotiated: true)
        }
    }

    /// Removes a reader whose stream has ended.
    func remove(_ reader: ChangeReader) {
        readers[reader.space]?.removeAll { $0 === reader }
        if readers[reader.space]?.isEmpty ?? false { readers[reader.space] = nil }
        delivery.metrics.streams -= 1
        forgetIfUnused(reader.space)
    }

    var pollersCount: Int { polls.values.reduce(0) { $0 + $1.count } }
}

/// One request that waits for the next commit of a space.
final class ChangePoll: Subscriber, Waiter {
    private let responder: Responder
    let query: ChangeQuery
    private let space: SpaceName
    /// The version that the client knows.
    private let known: Int
    private unowned let feed: ChangeFeed

    init(_ responder: Responder, _ query: ChangeQuery, of space: SpaceName, known: Int, _ feed: ChangeFeed) {
        self.responder = responder
        self.query = query
        self.space = space
        self.known = known
        self.feed = feed
        super.init(responder)
    }

    func begin(seconds: Int) {
        responder.wait(self, seconds: seconds)
    }

    /// Ends the wait with the answer that `body` gives.
    func end(_ body: (Responder) -> Void) {
        release()
        body(responder)
    }

    func waited() {
        feed.remove(self)
        end { $0.answerUnchanged(tag: feed.tags.tag(of: known, in: space), wait: query.wait) }
    }

    func left() {
        feed.remove(self)
        release()
    }

    override func withdraw() { waited() }
}
