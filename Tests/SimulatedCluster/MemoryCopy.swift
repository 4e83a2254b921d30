import Platform
package import ReplicatedJournal
package import SQLiteJournal
package import StateStore

/// A copy in memory, which can lose its newest steps as a file that is not synced does.
package final class MemoryCopy: JournalCopy, Sendable {
    private struct Contents {
        var applied: [([CopyStep], [CopyRow])] = []
        var rows: [String: CopyRow] = [:]
        var failures = 0
    }

    private let memory = MemoryJournal()
    private let contents = Lock(Contents())
    private let readers = Lock<[@Sendable () -> Void]>([])

    package init() {}

    /// Lets `body` read in each moment in which steps were applied and the node has told nobody yet.
    package func letRead(_ body: @escaping @Sendable () -> Void) {
        readers.with { $0 = [body] }
    }

    /// Returns what a crash leaves that loses the newest transactions.
    package func recovered(losing count: Int) throws(JournalFailure) -> MemoryCopy {
        let copy = MemoryCopy()
        let applied = contents.with { $0.applied }
        for (steps, rows) in applied.dropLast(count) { try copy.apply(steps, rows: rows) }
        return copy
    }

    /// Makes the next applications fail.
    package func failApplications(_ count: Int) {
        contents.with { $0.failures = count }
    }

    package func fits(_ commits: [CommitRecord]) throws(JournalFailure) -> [AppendResult] {
        var versions: [SpaceName: Int] = [:]
        var results: [AppendResult] = []
        var moved: Set<SpaceName> = []
        for commit in commits {
            let version = versions[commit.space] ?? memory.latest(of: commit.space)
            versions[commit.space] = version
            if !moved.contains(commit.space), commit.version == version + (commit.facts.isEmpty ? 0 : 1) {
                versions[commit.space] = commit.version
                results.append(.kept)
            } else {
                moved.insert(commit.space)
                results.append(.moved(to: version))
            }
        }
        return results
    }

    package func apply(_ steps: [CopyStep], rows: [CopyRow]) throws(JournalFailure) {
        let fails = contents.with { contents in
            guard contents.failures > 0 else { return false }
            contents.failures -= 1
            return true
        }
        if fails { throw JournalFailure(.cannotWrite, "the disk is full") }
        for step in steps {
            switch step {
            case .commits(let commits, _):
                guard try fits(commits).allSatisfy({ $0 == .kept }) else {
                    throw JournalFailure(.damaged, "the copy does not fit the log")
                }
                _ = try memory.append(commits)
            case .forget(let space, _): _ = try memory.forget(space)
            }
        }
        contents.with { contents in
            contents.applied.append((steps, rows))
            for row in rows { contents.rows[row.name] = row }
        }
        for body in readers.with({ $0 }) { body() }
    }

    /// None: readers of this copy begin anew on each node.
    package func shares(of places: [Int]) throws(JournalFailure) -> [Int?] { places.map { _ in nil } }
    package func cursor(after shares: [Int]) throws(JournalFailure) -> JournalCursor {
        JournalCursor(place: 0, begun: 0)
    }

    package func makeBase() throws(JournalFailure) -> any CopyBase {
        throw JournalFailure(.unusable, "a copy in memory gives no base")
    }

    package func rows() throws(JournalFailure) -> [CopyRow] { contents.with { Array($0.rows.values) } }

    // MARK: Journal

    package var digestKey: DigestKey { memory.digestKey }
    package var lives: LifeTable { memory.lives }

    package func append(_ commits: [CommitRecord]) throws(JournalFailure) -> [AppendResult] {
        try memory.append(commits)
    }
    package func load(_ space: SpaceName) throws(JournalFailure) -> StoredSpace? { try memory.load(space) }
    package func read(_ space: SpaceName, after version: Int, limit: Int) throws(JournalFailure) -> CommitHistory {
        try memory.read(space, after: version, limit: limit)
    }
    package func answer(
        _ space: SpaceName, key: String, since earliest: Timestamp
    ) throws(JournalFailure) -> StoredAnswer? {
        try memory.answer(space, key: key, since: earliest)
    }
    package func spaces(after name: SpaceName?, limit: Int) throws(JournalFailure) -> [(name: SpaceName, version: Int)]
    {
        try memory.spaces(after: name, limit: limit)
    }
    package func spacesWithWork(after name: SpaceName?, limit: Int) throws(JournalFailure) -> [SpaceName] {
        try memory.spacesWithWork(after: name, limit: limit)
    }
    package func load(_ space: SpaceName, at version: Int) throws(JournalFailure) -> PastState {
        try memory.load(space, at: version)
    }
    package func version(of space: SpaceName, at time: Timestamp) throws(JournalFailure) -> Int? {
        try memory.version(of: space, at: time)
    }
    package func heads(of space: SpaceName, after version: Int, limit: Int) throws(JournalFailure) -> [CommitHead] {
        try memory.heads(of: space, after: version, limit: limit)
    }
    package func lastChange(
        of variable: String, entry: String?, in space: SpaceName, upTo version: Int
    ) throws(JournalFailure) -> CommitHead? {
        try memory.lastChange(of: variable, entry: entry, in: space, upTo: version)
    }
    package func alarms(upTo time: Timestamp, limit: Int) throws(JournalFailure) -> [SpaceAlarm] {
        try memory.alarms(upTo: time, limit: limit)
    }
    package func readAll(after cursor: JournalCursor?, limit: Int) throws(JournalFailure) -> AllCommits {
        try memory.readAll(after: cursor, limit: limit)
    }
    package var erasureCount: Int { memory.erasureCount }

    package func forget(_ space: SpaceName) throws(JournalFailure) -> Bool { try memory.forget(space) }
    package func follow(_ receive: @escaping @Sendable ([CommitRecord]) -> Void) -> JournalSubscription {
        memory.follow(receive)
    }
    package func followAll(_ receive: @escaping @Sendable () -> Void) -> JournalSubscription {
        memory.followAll(receive)
    }
    package func probe() throws(JournalFailure) {}
    package func close() -> JournalFailure? { nil }
}

extension MemoryJournal {
    fileprivate func latest(of space: SpaceName) -> Int {
        guard let version = try? load(space)?.version else { return 0 }
        return version
    }
}
