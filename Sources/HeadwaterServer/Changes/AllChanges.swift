import Ground
import HTTP
import JSON
import Sockets
import StateStore

/// The commits of all spaces for the clients of one loop that read or follow them. Every row comes from the journal; a
/// new one only wakes the readers.
final class AllChanges {
    let delivery: Delivery
    private let journalWriter: any JournalWriter
    private let executor: LoopExecutor
    private var following: JournalSubscription?
    private var readers: [ObjectIdentifier: FeedReader] = [:]
    private var polls: [ObjectIdentifier: FeedPoll] = [:]
    /// The reads under way, whose requests may wait for news afterwards.
    private var pendingReads = 0
    /// The number of times that the journal had news.
    private(set) var newsCount = 0

    init(_ delivery: Delivery, _ journalWriter: any JournalWriter, _ executor: LoopExecutor) {
        self.delivery = delivery
        self.journalWriter = journalWriter
        self.executor = executor
    }

    var pollersCount: Int { polls.count }

    /// Reads rows from the journal, off the loop.
    func read(
        after start: FeedCursor?, limit: Int = FeedPage.rowsLimit, bytesLimit: Int = FeedPage.bytesLimit,
        of reader: Reader, _ then: @escaping (Result<FeedPage, JournalFailure>) -> Void
    ) {
        pendingReads += 1
        let owned = Confined { [self] (result: Result<FeedPage, JournalFailure>) in
            pendingReads -= 1
            then(result)
        }
        journalWriter.read(
            for: executor,
            { [registry = delivery.store.registry] journal in
                do throws(JournalFailure) {
                    return Result<FeedPage, JournalFailure>.success(
                        try FeedPage(
                            after: start, limit: limit, bytesLimit: bytesLimit, of: reader, registry, journal))
                } catch {
                    return .failure(error)
                }
            },
            then: { owned.value($0) })
    }

    // MARK: Following

    private func follow() {
        guard following == nil else { return }
        let owned = Confined(WeakChanges(self))
        following = journalWriter.journal.followAll { [executor] in
            executor.post { owned.value.changes?.noteNews() }
        }
    }

    private final class WeakChanges {
        weak var changes: AllChanges?
        init(_ changes: AllChanges) { self.changes = changes }
    }

    private func noteNews() {
        newsCount += 1
        for reader in readers.values { reader.noteNews() }
        for poll in polls.values { poll.noteNews() }
    }

    private func endIfUnused() {
        if readers.isEmpty, polls.isEmpty, pendingReads == 0 { following = nil }
    }

    // MARK: Reading once

    /// Answers with the rows that a query asks for. If the client has them all, the request waits for more, as long as
    /// the query lets it.
    func answer(_ responder: Responder, _ query: FeedQuery) {
        let mayWait = query.wait.map { $0 > 0 } ?? false
        // From here on the loop hears of news, so that no row falls between the read and the wait.
        if mayWait { follow() }
        let news = newsCount
        collect(after: query.start, responder) { [self] rows, end in
            let isKnown = query.knows(end) ?? (query.wait != nil && rows.isEmpty)
            guard isKnown else {
                send(rows, end, responder, wait: query.wait)
                return endIfUnused()
            }
            guard mayWait, let seconds = query.wait else {
                responder.answerUnchanged(tag: end.text, wait: query.wait)
                return endIfUnused()
            }
            let poll = FeedPoll(responder, query, after: end, self)
            polls[ObjectIdentifier(poll)] = poll
            poll.begin(seconds: seconds)
            if news != newsCount { poll.noteNews() }
        }
    }

    /// Answers with the rows that there are.
    func answerAtOnce(_ responder: Responder, _ query: FeedQuery) {
        collect(after: query.start, responder) { [self] rows, end in send(rows, end, responder, wait: query.wait) }
    }

    /// Reads the rows of one answer, past those that the token does not cover. Answers why if there are none to be had.
    private func collect(
        after start: FeedCursor?, _ responder: Responder, _ then: @escaping ([FeedPage.FeedRow], FeedCursor) -> Void
    ) {
        read(after: start, of: responder.account.reader) { [self] result in
            guard responder.isOpen else { return endIfUnused() }
            switch result {
            case .failure(let failure): responder.answer(Problem(failure))
            case .success(.gone(let oldest)): responder.answer(.gone(oldest: oldest))
            case .success(.rows(let rows, let end, let isWhole)):
                guard rows.isEmpty, !isWhole else { return then(rows, end) }
                return collect(after: end, responder, then)
            }
            endIfUnused()
        }
    }

    private func send(_ rows: [FeedPage.FeedRow], _ end: FeedCursor, _ responder: Responder, wait: Int?) {
        var content: [UInt8] = [UInt8(ascii: "[")]
        for (index, row) in rows.enumerated() {
            if index > 0 { content.append(UInt8(ascii: ",")) }
            content.append(contentsOf: row.text)
        }
        content.append(UInt8(ascii: "]"))
        responder.answer(.ok, "application/json", content) { writer in
            writer.quoted("ETag", end.text)
            writer.field("Cache-Control", "no-cache")
            writer.field("Vary", "Accept")
            if let wait { Responder.addWait(wait, &writer) }
        }
    }

    /// Removes a poll that has come to its end.
    func remove(_ poll: FeedPoll) {
        polls[ObjectIdentifier(poll)] = nil
        endIfUnused()
    }

    // MARK: Streams

    /// Begins a stream of all rows after a cursor, unless the journal no longer has them.
    func stream(_ responder: Responder, after start: FeedCursor?, _ place: StreamPlace) {
        follow()
        read(after: start, limit: 1, of: responder.account.reader) { [self] result in
            guard responder.isOpen else { return endIfUnused() }
            switch result {
            case .failure(let failure): responder.answer(Problem(failure))
            case .success(.gone(let oldest)): responder.answer(.gone(oldest: oldest))
            case .success(.rows):
                let reader = FeedReader(
                    self, after: start, responder.exchange.connection, place)
                readers[ObjectIdentifier(reader)] = reader
                return responder.stream(reader, isNegotiated: true)
            }
            endIfUnused()
        }
    }

    /// Removes a reader whose stream has ended.
    func remove(_ reader: FeedReader) {
        readers[ObjectIdentifier(reader)] = nil
        delivery.metrics.streams -= 1
        endIfUnused()
    }
}

extension Problem {
    /// Rows are asked for that are not kept any more, or after a cursor of another life.
    static func gone(oldest: FeedCursor) -> Problem {
        var problem = Problem(
            .gone,
            "this cursor is older than the stored commits, or of another life: read the spaces again, or continue with since=\(oldest.text)"
        )
        problem.extra["oldest"] = .string(oldest.text)
        return problem
    }
}

/// One request that waits for the next commit of any space.
final class FeedPoll: Subscriber, Waiter {
    private let responder: Responder
    private let query: FeedQuery
    /// The cursor up to which the client has all rows.
    private var end: FeedCursor
    private unowned let changes: AllChanges
    private var isReading = false
    private var isOver = false
    /// The news that the last read has seen.
    private var seenNews = 0

    init(_ responder: Responder, _ query: FeedQuery, after end: FeedCursor, _ changes: AllChanges) {
        self.responder = responder
        self.query = query
        self.end = end
        self.changes = changes
        super.init(responder)
    }

    func begin(seconds: Int) {
        responder.wait(self, seconds: seconds)
    }

    /// Looks whether the token covers a new row.
    func noteNews() {
        guard !isReading, !isOver else { return }
        isReading = true
        seenNews = changes.newsCount
        changes.read(after: end, limit: 1, of: responder.account.reader) { [self] result in
            isReading = false
            guard !isOver else { return }
            guard case .success(.rows(let rows, let end, let isWhole)) = result, rows.isEmpty else {
                finish()
                return changes.answerAtOnce(responder, query)
            }
            self.end = end
            if !isWhole || seenNews != changes.newsCount { noteNews() }
        }
    }

    private func finish() {
        isOver = true
        changes.remove(self)
        release()
    }

    func waited() {
        finish()
        responder.answerUnchanged(tag: end.text, wait: query.wait)
    }

    func left() { finish() }

    override func withdraw() { waited() }
}
