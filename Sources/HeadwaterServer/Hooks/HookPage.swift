import StateStore

/// The next deliveries of a hook, oldest first.
struct HookPage: Sendable {
    /// The commits of one reading from the journal.
    static let commitsLimit = 32
    /// The bytes of bodies at which a page ends.
    static let bytesLimit = 1_024 * 1_024

    private(set) var events: [HookEvent] = []
    /// The place of the hook after all of them.
    private(set) var end: Moment
    /// False if the journal may have later commits.
    private(set) var isWhole = true
    /// True if a rule does not allow the view to the owner of the hook any more, after the events.
    private(set) var isForbidden = false

    /// Reads commits after a moment.
    init(
        of source: HookSource, since common: Int = 0, _ permit: CommitPermit, after moment: Moment,
        _ registry: Registry, _ journal: any Journal
    ) throws(HookPageFault) {
        let space = permit.space
        end = moment
        switch try Self.reading({ () throws(JournalFailure) in
            try journal.read(space, after: moment.version, limit: Self.commitsLimit)
        }) {
        case .gone(let oldest): throw .gone(space, oldest: oldest)
        case .commits(let records):
            add(records, of: source, since: common) { permit.shown($0, by: registry) }
            guard records.isEmpty else { return }
            let newest = try Self.reading { () throws(JournalFailure) in
                try journal.version(of: space, at: .endOfTime)
            }
            // The journal has lost commits: later ones will have their versions.
            if let newest, newest < end.version {
                end = Moment(version: newest, common: space == .common ? newest : end.common)
            }
        }
    }

    private static func reading<Value>(
        _ body: () throws(JournalFailure) -> Value
    ) throws(HookPageFault) -> Value {
        do throws(JournalFailure) {
            return try body()
        } catch {
            throw .journal(error)
        }
    }

    /// The events of a commit: one, or one for each of several actions that the source names. All but the last leave the
    /// hook at `moment`, so that none is lost.
    private static func events(
        of record: CommitRecord, for source: HookSource, after moment: Moment, _ show: (CommitRecord) -> ShownCommit
    ) -> [HookEvent] {
        if source.hasCommits(of: record.action) { return [HookEvent(show(record))] }
        guard record.action == PerformedAction.several else { return [] }
        let actions = PerformedAction.all(of: record.action, record.input).filter { source.hasCommits(of: $0.name) }
        let shown = show(record)
        return actions.enumerated().map { index, action in
            HookEvent(shown, action, after: index == actions.count - 1 ? nil : moment)
        }
    }

    /// Adds commits. Those that have not seen version `common` of `common` are older than the hook.
    private mutating func add(
        _ records: [CommitRecord], of source: HookSource, since common: Int, _ show: (CommitRecord) -> ShownCommit
    ) {
        var bytes = 0
        let start = end
        isWhole = records.count < Self.commitsLimit
        for record in records {
            end = Moment(version: record.version, common: record.common)
            guard record.common >= common else { continue }
            let found = Self.events(of: record, for: source, after: events.last?.moment ?? start, show)
            guard !found.isEmpty else { continue }
            events += found
            bytes += found.reduce(0) { $0 + $1.body.count }
            guard bytes < Self.bytesLimit else {
                isWhole = false
                return
            }
        }
    }

    /// Reads values of a view after a moment, as the owner of the hook reads them, on the thread of the past.
    init(
        ofView view: ViewKey, in space: SpaceName, for owner: Reader, after moment: Moment, _ context: PastContext
    ) throws(PastRefusal) {
        end = moment
        let permit: ReadPermit
        do throws(Refusal) {
            permit = try .issue([view], in: space, to: owner, by: context.registry)
        } catch {
            throw .forbidden(view: "\(view)")
        }
        do throws(PastRefusal) {
            let page = try context.history(
                of: permit, .after(.moment(moment)),
                HistoryLimits(rows: Self.commitsLimit, bytes: Self.bytesLimit, common: .max), followsRules: true)
            events = page.rows.map { HookEvent($0, of: view, in: space) }
            end = page.end
            isWhole = page.isWhole
            isForbidden = page.isForbidden
        } catch {
            isWhole = false
            switch error {
            case .future(let late, let newest):
                // The journal has lost commits: later ones will have their versions.
                end = Moment(
                    version: late == .common && space != .common ? moment.version : newest,
                    common: late == .common ? newest : moment.common)
            case .gone(.common, let oldest) where space != .common:
                // Only `common` went on for so long. The value at its oldest stored version is delivered, perhaps again:
                // values between, of which `common` alone was the cause, are no longer stored.
                end = Moment(version: moment.version, common: oldest)
                guard try context.allows(permit) else { throw .forbidden(view: "\(view)") }
                events = [try HookEvent(of: permit, at: end, context)]
            default: throw error
            }
        }
    }
}

/// The reason why a page cannot be read.
enum HookPageFault: Error {
    /// The journal keeps the commits after `oldest` only.
    case gone(SpaceName, oldest: Int)
    case journal(JournalFailure)
}

extension Timestamp {
    /// A time after every commit.
    static let endOfTime = Timestamp(microseconds: .max)
}
