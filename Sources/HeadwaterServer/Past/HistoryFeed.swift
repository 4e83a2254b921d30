import Ground
import HTTP
import StateStore

/// A reader of a history that wants to hear of commits.
protocol HistoryListener: AnyObject {
    /// Notes that the space or `common` may have a new commit.
    func noteCommit()
    /// Notes that the space was deleted.
    func noteForgotten()
}

/// The histories of views for the clients of one loop that read or follow them.
final class HistoryFeed {
    /// The number of bytes at which one read ends.
    static let bytesLimit = 4 * 1_024 * 1_024
    /// The delay after which a listener looks again.
    private static let againNanoseconds: Int64 = 20_000_000

    let delivery: Delivery
    let journal: any Journal
    private let past: PastReader
    private let executor: LoopExecutor
    private var following: JournalSubscription?
    private var listeners: [SpaceName: [ObjectIdentifier: any HistoryListener]] = [:]
    /// The listeners that look again in a moment.
    private var lookingAgain: [ObjectIdentifier: any HistoryListener] = [:]

    init(_ delivery: Delivery, _ past: PastReader, _ journal: any Journal, _ executor: LoopExecutor) {
        self.delivery = delivery
        self.past = past
        self.journal = journal
        self.executor = executor
    }

    /// A view whose history is read.
    struct Question: Sendable {
        /// The permit for the view.
        let permit: ReadPermit
        var view: ViewKey { permit.names[0] }
        var space: SpaceName { permit.space }
        /// True if the account may read `common`.
        let showsCommon: Bool
        /// The subject of the caller.
        let subject: String
    }

    /// Reads the rows after a start. `point` is the point that the start came from.
    func read(
        _ question: Question, _ start: HistoryStart, from point: PointParameter?, rows: Int, bytes: Int,
        _ then: @escaping (Result<HistoryRows, PastRefusal>) -> Void
    ) {
        let store = delivery.store
        // The rules of the view can be others than at the beginning of a stream.
        guard question.permit.holds(by: store.registry) else {
            return then(.failure(.forbidden(view: "\(question.view)")))
        }
        let common = store.shown(of: question.space)?.common ?? store.shownCommon
        let limits = HistoryLimits(rows: rows, bytes: bytes, common: common)
        past.run(for: executor, by: PastAsker(question.subject, question.space, nil)) {
            [tags = delivery.tags] context throws(PastRefusal) in
            let space = question.space
            guard point?.isOfThisLife(space, tags, context.journal.lives) ?? true else {
                throw .gone(space, oldest: try context.journal.oldestVersion(of: space))
            }
            let page = try context.history(of: question.permit, start, limits)
            return HistoryRows(page, of: question.view, in: space, tags, showsCommon: question.showsCommon)
        } then: { result in
            // The rule is asked when the rows are there, so that none goes to a client that may not read them now.
            guard question.permit.dependsOnReader, case .success(let rows) = result else { return then(result) }
            store.check(question.permit) { result in
                switch result {
                case .failure(.forbidden(let view)): then(.failure(.forbidden(view: view)))
                case .failure: then(.failure(.busy))
                case .success: then(.success(rows))
                }
            }
        }
    }

    /// Watches the rule of a view, and calls `body` when it does not let the client read any more.
    func watchRule(of question: Question, _ body: @escaping (Refusal) -> Void) -> Watch? {
        delivery.store.watchRules(of: question.permit, body)
    }

    // MARK: Following

    /// Tells a listener of the commits of a space from now on.
    func add(_ listener: any HistoryListener, to space: SpaceName) {
        listeners[space, default: [:]][ObjectIdentifier(listener)] = listener
        guard following == nil else { return }
        let owned = Confined(WeakFeed(self))
        following = journal.follow { [executor] records in
            executor.post { owned.value.feed?.hear(records) }
        }
    }

    /// Removes a listener.
    func remove(_ listener: any HistoryListener, from space: SpaceName) {
        lookingAgain[ObjectIdentifier(listener)] = nil
        listeners[space]?[ObjectIdentifier(listener)] = nil
        if listeners[space]?.isEmpty ?? false { listeners[space] = nil }
        if listeners.isEmpty { following = nil }
    }

    private final class WeakFeed {
        weak var feed: HistoryFeed?
        init(_ feed: HistoryFeed) { self.feed = feed }
    }

    private func hear(_ records: [CommitRecord]) {
        var changed: Set<SpaceName> = []
        for record in records where !record.facts.isEmpty { changed.insert(record.space) }
        // A commit of `common` concerns every space.
        for (space, told) in listeners where changed.contains(space) || changed.contains(.common) {
            for listener in told.values { listener.noteCommit() }
        }
    }

    /// Lets a listener look again in a moment: for commits of `common` that its space has not shown, or because too many
    /// requests for the past waited.
    func lookAgain(_ listener: any HistoryListener) {
        let isSet = !lookingAgain.isEmpty
        lookingAgain[ObjectIdentifier(listener)] = listener
        guard !isSet else { return }
        delivery.after(nanoseconds: Self.againNanoseconds) { [weak self] in
            guard let self else { return }
            let told = lookingAgain
            lookingAgain = [:]
            for listener in told.values { listener.noteCommit() }
        }
    }

    /// Ends what is read of a space that was deleted.
    func noteForgotten(_ space: SpaceName) {
        for listener in (listeners[space] ?? [:]).values { listener.noteForgotten() }
    }

    /// The number of requests that wait.
    var pollersCount: Int { listeners.values.joined().count { ($0.value as? HistoryLook)?.isWaiting ?? false } }
}
