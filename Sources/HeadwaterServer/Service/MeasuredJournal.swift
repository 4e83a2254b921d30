import Platform
import Sockets
import SQLiteJournal
import StateStore

/// A journal whose batches are counted.
final class MeasuredJournal: Journal {
    private let journal: SQLiteJournal
    private let sizes = Lock(Histogram(Histogram.counts))

    init(_ journal: SQLiteJournal) {
        self.journal = journal
    }

    /// The sizes of the batches, in commits.
    var batches: Histogram { sizes.with { $0 } }

    /// The number of syncs that failed.
    var syncFailures: Int { journal.syncFailures }

    /// Returns the time of the commit that was appended last; nil if there is none.
    func newestTime() throws(JournalFailure) -> Timestamp? { try journal.newestTime() }

    /// The spaces in which damage was found.
    var damaged: DamagedSpaces { journal.damaged }

    /// Calls `receive` when the condition of the journal changes.
    func watch(_ receive: @escaping @Sendable (JournalCondition) -> Void) { journal.watch(receive) }

    func append(_ commits: [CommitRecord]) throws(JournalFailure) -> [AppendResult] {
        let outcomes = try journal.append(commits)
        sizes.with { $0.add(Double(commits.count)) }
        return outcomes
    }

    var appendsAtOnce: Bool { journal.appendsAtOnce }

    func appendAtOnce(_ commits: [CommitRecord]) throws(JournalFailure) -> [AppendResult]? {
        let outcomes = try journal.appendAtOnce(commits)
        if outcomes != nil { sizes.with { $0.add(Double(commits.count)) } }
        return outcomes
    }

    func load(all spaces: [SpaceName]) -> [Result<StoredSpace?, JournalFailure>] { journal.load(all: spaces) }

    func load(_ space: SpaceName) throws(JournalFailure) -> StoredSpace? { try journal.load(space) }

    func read(_ space: SpaceName, after version: Int, limit: Int) throws(JournalFailure) -> CommitHistory {
        try journal.read(space, after: version, limit: limit)
    }

    func answer(_ space: SpaceName, key: String, since earliest: Timestamp) throws(JournalFailure) -> StoredAnswer? {
        try journal.answer(space, key: key, since: earliest)
    }

    func spaces(after name: SpaceName?, limit: Int) throws(JournalFailure) -> [(name: SpaceName, version: Int)] {
        try journal.spaces(after: name, limit: limit)
    }

    func spaces(
        after name: SpaceName?, limit: Int, alarmedAfter time: Timestamp
    ) throws(JournalFailure) -> [SpaceName] {
        try journal.spaces(after: name, limit: limit, alarmedAfter: time)
    }

    func summary(of space: SpaceName) throws(JournalFailure) -> SpaceSummary? { try journal.summary(of: space) }

    func spacesWithWork(after name: SpaceName?, limit: Int) throws(JournalFailure) -> [SpaceName] {
        try journal.spacesWithWork(after: name, limit: limit)
    }

    func load(_ space: SpaceName, at version: Int) throws(JournalFailure) -> PastState {
        try journal.load(space, at: version)
    }

    func version(of space: SpaceName, at time: Timestamp) throws(JournalFailure) -> Int? {
        try journal.version(of: space, at: time)
    }

    func heads(of space: SpaceName, after version: Int, limit: Int) throws(JournalFailure) -> [CommitHead] {
        try journal.heads(of: space, after: version, limit: limit)
    }

    func lastChange(
        of variable: String, entry: String?, in space: SpaceName, upTo version: Int
    ) throws(JournalFailure) -> CommitHead? {
        try journal.lastChange(of: variable, entry: entry, in: space, upTo: version)
    }

    func alarms(upTo time: Timestamp, limit: Int) throws(JournalFailure) -> [SpaceAlarm] {
        try journal.alarms(upTo: time, limit: limit)
    }

    func readAll(after cursor: JournalCursor?, limit: Int) throws(JournalFailure) -> AllCommits {
        try journal.readAll(after: cursor, limit: limit)
    }

    var erasureCount: Int { journal.erasureCount }

    func forget(_ space: SpaceName) throws(JournalFailure) -> Bool { try journal.forget(space) }

    func follow(_ receive: @escaping @Sendable ([CommitRecord]) -> Void) -> JournalSubscription {
        journal.follow(receive)
    }

    func followAll(_ receive: @escaping @Sendable () -> Void) -> JournalSubscription { journal.followAll(receive) }

    func probe() throws(JournalFailure) { try journal.probe() }

    var lives: LifeTable { journal.lives }

    var life: Life { journal.life }

    func life(of space: SpaceName) -> Life { journal.life }

    var digestKey: DigestKey { journal.digestKey }

    func close() -> JournalFailure? { journal.close() }
}
