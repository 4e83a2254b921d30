import Ground
import HTTP
import JSON
import StateStore

/// The commits of all spaces for the clients of one loop that read or follow them. Every row comes from the journal; a
/// new one only wakes the readers.
final class AllChanges {
    let delivery: Delivery
    private let journalWriter: any JournalWriter
    private let executor: LoopExecutor
    private var following: JournalSubscription?
    private var readers: [ObjectIdentifier: FeedReader] = [:]
    private var looks: [ObjectIdentifier: FeedLook] = [:]

    init(_ delivery: Delivery, _ journalWriter: any JournalWriter, _ executor: LoopExecutor) {
        self.delivery = delivery
        self.journalWriter = journalWriter
        self.executor = executor
    }

    /// The number of requests that wait.
    var pollersCount: Int { looks.values.count { $0.isWaiting } }

    /// Reads rows from the journal, off the loop.
    func read(
        after start: FeedCursor?, limit: Int, bytesLimit: Int = FeedPage.bytesLimit,
        of reader: Reader, _ then: @escaping (Result<FeedPage, JournalFailure>) -> Void
    ) {
        let owned = Confined(then)
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
        for reader in readers.values { reader.noteNews() }
        for look in looks.values { look.noteNews() }
    }

    private func endIfUnused() {
        if readers.isEmpty, looks.isEmpty { following = nil }
    }

    /// Tells a request of new rows from now on.
    func add(_ look: FeedLook) {
        looks[ObjectIdentifier(look)] = look
        follow()
    }

    /// Removes a request that has been answered.
    func remove(_ look: FeedLook) {
        looks[ObjectIdentifier(look)] = nil
        endIfUnused()
    }

    // MARK: Streams

    /// Begins a stream of all rows after a cursor, unless the journal no longer has them.
    func stream(_ responder: Responder, after start: FeedCursor?, _ place: StreamPlace) {
        read(after: start, limit: 1, of: responder.account.reader) { [self] result in
            guard responder.isOpen else { return }
            switch result {
            case .failure(let failure): responder.answer(Problem(failure))
            case .success(.gone(let oldest)): responder.answer(.gone(oldest: oldest))
            case .success(.rows):
                let reader = FeedReader(self, after: start, responder.exchange.connection, place)
                readers[ObjectIdentifier(reader)] = reader
                follow()
                responder.stream(reader, isNegotiated: true)
            }
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
