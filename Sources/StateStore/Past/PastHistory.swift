import Reactive

/// The history of one view: the commits of a space and of `common` in the order in which the space has shown them,
/// applied to one instance of the features.
///
/// A commit of the space was made with a version of `common`, so the commits of `common` up to that one precede it.
final class PastHistory {
    /// The commits of one read from the journal,
    private static let windowLimit = 64
    /// and those that one page applies at most.
    private static let commitsLimit = 2_000

    let view: ViewKey
    private let past: PastSpace
    private let journal: any Journal
    private var subscription: Subscription?
    /// The value of the view; nil while the state does not define it.
    private var value: Result<ViewValue, ViewFailure>?
    /// The reason that the present definition of the view has no past; nil if it has one.
    private var refusal: PastRefusal?
    /// The value of the last row.
    private var shown: Frame?
    private var own = Fifo<CommitRecord>()
    private var common = Fifo<CommitRecord>()
    /// Commits with an earlier version of `common` make no rows: the states of that version are not kept.
    private var firstCommon = 0

    /// Begins at the oldest moment that the journal keeps, or after a point.
    init(
        of view: ViewKey, in space: SpaceName, _ start: HistoryStart, _ library: DocumentLibrary, _ journal: any Journal
    ) throws(PastRefusal) {
        self.view = view
        self.journal = journal
        let content: PastContent
        switch start {
        case .after(.moment(let moment)):
            let shown = try PastContent.shown(moment, in: space, journal)
            content = try PastContent(of: space, at: .moment(shown), journal)
        case .after(let point): content = try PastContent(of: space, at: point, journal)
        case .oldest:
            content = try PastContent(oldestOf: space, journal)
            firstCommon = content.moment.common
        }
        past = try PastSpace(space, content, for: [view], library, journal.digestKey)
        if let found = (try? past.view(view)) ?? nil { try past.check(found, view) }
        // The oldest state may be of documents that did not define the view.
        guard library.latest.isKept(view) else { throw .notKept(view: "\(view.known)") }
        subscribe()
        show()
    }

    /// True if a commit could not be applied. Then the history cannot go on.
    private(set) var isBroken = false

    /// The moment that the history has reached.
    var moment: Moment { past.moment }

    /// Applies the next commits until a limit is reached, and returns the rows that they make for the reader of a permit.
    ///
    /// Values that the rules of then do not let the reader read make no rows. The next value after them makes one, also
    /// if it is the same, so that rows say nothing about them.
    func next(
        _ limits: HistoryLimits, for permit: ReadPermit, followsRules: Bool, _ context: PastContext
    ) throws(PastRefusal) -> HistoryPage {
        var rules = PastRules(permit, context)
        var wasForbidden = try isForbidden(&rules)
        var rows: [HistoryRow] = []
        var bytes = 0
        var commits = 0
        do throws(PastRefusal) {
            while rows.count < limits.rows, bytes < limits.bytes, commits < Self.commitsLimit {
                guard let record = try nextCommit(limits.common) else {
                    if rows.isEmpty, let refusal { throw refusal }
                    return HistoryPage(
                        rows: rows, end: past.moment, isWhole: true, waitsForCommon: !common.isEmpty)
                }
                commits += 1
                let redefinitions = past.redefinitions
                try past.apply(record)
                if value == nil || isFailed || past.redefinitions != redefinitions { subscribe() }
                if followsRules, try !rules.allowNow(in: past) {
                    return HistoryPage(
                        rows: rows, end: past.moment, isWhole: false, waitsForCommon: false, isForbidden: true)
                }
                guard show() || wasForbidden else { continue }
                wasForbidden = try isForbidden(&rules)
                guard !wasForbidden, let shown, record.common >= firstCommon else { continue }
                rows.append(
                    HistoryRow(
                        moment: past.moment, head: record.head, isOfCommon: record.space == .common, frame: shown,
                        isWithheld: past.showsPrivate(view)))
                bytes += shown.size
            }
        } catch {
            // The rows before a commit that cannot be read are still rows.
            isBroken = true
            if rows.isEmpty { throw error }
        }
        return HistoryPage(rows: rows, end: past.moment, isWhole: false, waitsForCommon: false)
    }

    /// Returns true if the reader may not see the present value: by the rules of then, or because it shows members that
    /// became private later.
    private func isForbidden(_ rules: inout PastRules) throws(PastRefusal) -> Bool {
        if past.isWithheld(view) { return true }
        return try !rules.forbidden(in: past).isEmpty
    }

    // MARK: Commits

    /// Removes the next commit in the order of the moments; nil if there is none up to version `limit` of `common`.
    private func nextCommit(_ limit: Int) throws(PastRefusal) -> CommitRecord? {
        guard past.space != .common else { return try nextOfCommon(upTo: .max) }
        if own.isEmpty { own = try read(past.space, after: past.moment.version) }
        guard let first = own.first else { return try nextOfCommon(upTo: limit) }
        if past.moment.common < first.common, let record = try nextOfCommon(upTo: first.common) { return record }
        return own.popFirst()
    }

    private func nextOfCommon(upTo limit: Int) throws(PastRefusal) -> CommitRecord? {
        if common.isEmpty { common = try read(.common, after: past.moment.common) }
        return common.popFirst { $0.version <= limit }
    }

    private func read(_ space: SpaceName, after version: Int) throws(PastRefusal) -> Fifo<CommitRecord> {
        let history = try journal.reading { () throws(JournalFailure) in
            try journal.read(space, after: version, limit: Self.windowLimit)
        }
        switch history {
        case .gone(let oldest): throw .gone(space, oldest: oldest)
        case .commits(let records):
            var commits = Fifo<CommitRecord>()
            for record in records { commits.append(record) }
            return commits
        }
    }

    // MARK: The value

    private var isFailed: Bool { if case .failure? = value { true } else { false } }

    /// Watches the view anew; a view that has failed, or that was not defined, can have a value again.
    private func subscribe() {
        let previous = subscription
        subscription = nil
        value = nil
        // A view that the state does not define has no value, and no row; nor has one that had no past then.
        if let found = (try? past.view(view)) ?? nil {
            refusal = refusal(of: found)
            if refusal == nil {
                subscription = past.watch(found) { [unowned self] in value = $0 }
                if value == nil { value = .success(Frame.null) }
            }
        }
        previous?.cancel()
    }

    /// Returns the reason that a definition of the view has no past; nil if it has one.
    private func refusal(of found: any View) -> PastRefusal? {
        do throws(PastRefusal) {
            try past.check(found, view)
            return nil
        } catch {
            return error
        }
    }

    /// Takes the value as the one that the last row has. Returns true if it is another one.
    @discardableResult
    private func show() -> Bool {
        if case .failure(let failure)? = value, failure.isGone { value = nil }
        guard let value else {
            shown = nil
            return false
        }
        if let shown, shown.has(value) { return false }
        shown = Frame(value: value, since: past.moment)
        return true
    }
}
