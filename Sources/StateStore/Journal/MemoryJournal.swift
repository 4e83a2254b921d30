import Platform
import Reactive
import Synchronization

/// A journal in memory, for `--memory` and for tests.
package final class MemoryJournal: Journal, Sendable {
    /// One space.
    final class SpaceEntry {
        let name: SpaceName
        var version = 0
        var hasWork = false
        var alarm: Timestamp?
        var state = MemoryState()
        /// The last commits, with their places in the commits of all spaces.
        var commits: RingBuffer<PlacedCommit>
        /// The state before the commits in `commits`.
        var base = MemoryState()
        /// The commit that made `base`; nil if that is version 0.
        var dropped: PlacedCommit?
        var answers: [String: (answer: StoredAnswer, at: Timestamp)] = [:]
        /// The keys of the answers, oldest first.
        var keys = Fifo<(key: String, at: Timestamp)>()

        init(_ name: SpaceName, history: Int) {
            self.name = name
            commits = RingBuffer(history)
        }
    }

    /// A commit and its place.
    struct PlacedCommit {
        let record: CommitRecord
        let place: Int
    }

    /// All spaces, behind the lock.
    struct StoredSpaces {
        /// The maximum number of commits of each space.
        let history: Int
        var spaces: [SpaceName: SpaceEntry] = [:]
        /// The names of `spaces` in their order.
        var names = SpaceNames()
        /// The space of the last commit. The next commit is often in the same space.
        // Unmanaged, to avoid a retain for each commit. `spaces` owns the object, and the pointer does not leave the
        // lock.
        var latest: Unmanaged<SpaceEntry>?
        var followers: [Int: @Sendable ([CommitRecord]) -> Void] = [:]
        /// The followers that are also told of deletions, with an empty batch.
        var deletionFollowers: Set<Int> = []
        var nextFollower = 0
        var lives: LifeTable
        /// The place of the newest commit or deletion.
        var newestPlace = 0
        /// The last deletions, oldest first.
        var deletions: [(space: SpaceName, place: Int)] = []
        /// The place of the newest deletion that `deletions` has dropped.
        var droppedDeletion = 0
    }

    let content: Lock<StoredSpaces>
    private let erasures = Atomic(0)
    private let era: UInt64
    private let lifeCount = Atomic(0)
    /// The key of the digests that clients see. It lasts as long as the process.
    package let digestKey: DigestKey

    /// Creates an empty journal that keeps the last `history` commits of each space.
    package init(
        history: Int = 10_000, era: UInt64 = .random(in: .min ... .max), digestKey: DigestKey = .random()
    ) {
        self.era = era
        self.digestKey = digestKey
        content = Lock(StoredSpaces(history: history, lives: LifeTable(era: era)))
    }

    /// Creates a journal that holds the content of some spaces without their commits.
    package convenience init(holding spaces: [(SpaceName, StoredSpace)], digestKey: DigestKey) {
        self.init(digestKey: digestKey)
        content.with { content in
            for (name, stored) in spaces where stored.version > 0 || !stored.facts.isEmpty {
                let entry = SpaceEntry(name, history: content.history)
                entry.version = stored.version
                entry.state.take(Facts(stored.facts))
                entry.base = entry.state
                content.spaces[name] = entry
                content.names.insert(name)
            }
        }
    }

    /// Appends commits.
    package func append(_ commits: [CommitRecord]) throws(JournalFailure) -> [AppendResult] {
        let (results, kept, followers) = content.with { content in
            // A commit after a refused one builds on it, even if its version fits.
            var moved: Set<SpaceName> = []
            let results = commits.map { commit in
                let result =
                    moved.contains(commit.space) ? .moved(to: content.version(of: commit.space)) : content.keep(commit)
                if result != .kept { moved.insert(commit.space) }
                return result
            }
            return (
                results, zip(commits, results).filter { $0.1 == .kept && !$0.0.facts.isEmpty }.map(\.0),
                Array(content.followers.values)
            )
        }
        if kept.contains(where: \.erases) { erasures.add(1, ordering: .releasing) }
        for follower in followers where !kept.isEmpty { follower(kept) }
        return results
    }

    /// Appends one commit.
    package func append(one commit: CommitRecord) throws(JournalFailure) -> AppendResult {
        let (result, followers) = content.with { content in
            let result = content.keep(commit)
            let isNews = result == .kept && commit.facts.count > 0 && !content.followers.isEmpty
            return (result, isNews ? Array(content.followers.values) : [])
        }
        if commit.erases { erasures.add(1, ordering: .releasing) }
        for follower in followers { follower([commit]) }
        return result
    }

    /// Loads the content of a space.
    package func load(_ space: SpaceName) throws(JournalFailure) -> StoredSpace? {
        content.with { $0.spaces[space].map { StoredSpace(version: $0.version, facts: $0.state.facts) } }
    }

    /// The commits of a space after a version.
    package func read(_ space: SpaceName, after version: Int, limit: Int) throws(JournalFailure) -> CommitHistory {
        content.with { content in
            guard let kept = content.spaces[space] else { return .commits([]) }
            let oldest = kept.version - kept.commits.count
            guard version >= oldest else { return .gone(oldest: oldest) }
            return .commits(kept.commits.some(after: version - oldest, limit: limit).map(\.record))
        }
    }

    /// Returns the answer to a call with `key`.
    package func answer(
        _ space: SpaceName, key: String, since earliest: Timestamp
    ) throws(JournalFailure) -> StoredAnswer? {
        content.with { $0.spaces[space]?.answers[key].flatMap { $0.at >= earliest ? $0.answer : nil } }
    }

    /// Returns the spaces after `name`.
    package func spaces(
        after name: SpaceName?, limit: Int
    ) throws(JournalFailure) -> [(name: SpaceName, version: Int)] {
        content.with { content in
            content.names.some(after: name, limit: limit).map { ($0, content.version(of: $0)) }
        }
    }

    /// Returns the summary of a space.
    package func summary(of space: SpaceName) throws(JournalFailure) -> SpaceSummary? {
        content.with { content in
            guard let entry = content.spaces[space] else { return nil }
            let last = entry.commits.count > 0 ? entry.commits[entry.commits.count - 1] : entry.dropped
            var count = SpaceSummary.Count()
            entry.state.add(to: &count)
            return SpaceSummary(
                version: entry.version, at: last?.record.at, bytes: count.bytes, isWhole: !count.isFull)
        }
    }

    /// Returns the spaces after `name` with work for effects.
    package func spacesWithWork(after name: SpaceName?, limit: Int) throws(JournalFailure) -> [SpaceName] {
        content.with { content in
            let names = content.spaces.filter { $0.value.hasWork && (name == nil || $0.key > name!) }.keys
            return Array(names.sorted().prefix(limit))
        }
    }

    /// Deletes a space.
    package func forget(_ space: SpaceName) throws(JournalFailure) -> Bool {
        let followers = content.with { content -> [@Sendable ([CommitRecord]) -> Void]? in
            guard content.spaces.removeValue(forKey: space) != nil else { return nil }
            content.latest = nil
            content.names.remove(space)
            content.noteDeletion(of: space)
            content.lives = content.lives.forgetting(space)
            lifeCount.store(content.lives.count, ordering: .releasing)
            return content.deletionFollowers.compactMap { content.followers[$0] }
        }
        guard let followers else { return false }
        for follower in followers { follower([]) }
        return true
    }

    /// The versions that a client may still name.
    package var lives: LifeTable { content.with { $0.lives } }

    /// The number of appends that have erased rows.
    package var erasureCount: Int { erasures.load(ordering: .acquiring) }

    /// The current life.
    package var life: Life { Life(era: era, count: lifeCount.load(ordering: .acquiring)) }

    /// Calls `receive` with stored commits.
    package func follow(_ receive: @escaping @Sendable ([CommitRecord]) -> Void) -> JournalSubscription {
        content.with { content in
            let number = content.nextFollower
            content.nextFollower += 1
            content.followers[number] = receive
            return JournalSubscription { [weak self] in
                guard let self else { return }
                self.content.with { $0.followers[number] = nil }
            }
        }
    }

    /// Calls `receive` when there are new commits or deletions.
    package func followAll(_ receive: @escaping @Sendable () -> Void) -> JournalSubscription {
        content.with { content in
            let number = content.nextFollower
            content.nextFollower += 1
            content.followers[number] = { _ in receive() }
            content.deletionFollowers.insert(number)
            return JournalSubscription { [weak self] in
                guard let self else { return }
                self.content.with { content in
                    content.followers[number] = nil
                    content.deletionFollowers.remove(number)
                }
            }
        }
    }

    /// Succeeds: memory can always store a commit.
    package func probe() throws(JournalFailure) {}

    /// Does nothing.
    @discardableResult
    package func close() -> JournalFailure? { nil }
}

extension MemoryJournal.StoredSpaces {
    fileprivate func version(of space: SpaceName) -> Int { spaces[space]?.version ?? 0 }

    fileprivate mutating func keep(_ commit: CommitRecord) -> AppendResult {
        let place = newestPlace + 1
        if let result = latest?._withUnsafeGuaranteedRef({ $0.name == commit.space ? $0.keep(commit, at: place) : nil })
        {
            if result == .kept { newestPlace = place }
            return result
        }
        let result: AppendResult
        if let known = spaces[commit.space] {
            latest = .passUnretained(known)
            result = known.keep(commit, at: place)
        } else {
            let new = MemoryJournal.SpaceEntry(commit.space, history: history)
            result = new.keep(commit, at: place)
            if new.version > 0 {
                spaces[commit.space] = new
                names.insert(commit.space)
            }
        }
        if result == .kept { newestPlace = place }
        return result
    }

    fileprivate mutating func noteDeletion(of space: SpaceName) {
        newestPlace += 1
        deletions.append((space, newestPlace))
        if deletions.count > LifeTable.limit { droppedDeletion = deletions.removeFirst().place }
    }
}

extension MemoryJournal.SpaceEntry {
    fileprivate func keep(_ commit: CommitRecord, at place: Int) -> AppendResult {
        let isCommit = commit.facts.count > 0
        guard commit.version == (isCommit ? version + 1 : version) else { return .moved(to: version) }
        if isCommit {
            version = commit.version
            hasWork = commit.leavesWork
            alarm = commit.alarm
            state.take(commit.facts)
            if let dropped = commits.append(MemoryJournal.PlacedCommit(record: commit, place: place)) {
                base.take(dropped.record.facts)
                self.dropped = dropped
            }
            if commit.erases { for row in commit.erasedRows { erase(row) } }
        }
        if commit.hasKey, let idempotency = commit.idempotency {
            let answer = StoredAnswer(
                fingerprint: idempotency.fingerprint, version: commit.version, changed: commit.changed,
                result: commit.result)
            remember(answer, to: idempotency.key, at: commit.at)
        }
        return .kept
    }

    /// Erases a row from the state, the commits and the answers.
    private func erase(_ row: ErasedRow) {
        state.erase(row)
        base.erase(row)
        var versions: Set<Int> = []
        func erased(_ placed: MemoryJournal.PlacedCommit) -> MemoryJournal.PlacedCommit? {
            row.without(placed.record).map { record in
                versions.insert(record.version)
                return MemoryJournal.PlacedCommit(record: record, place: placed.place)
            }
        }
        commits.replace(erased)
        dropped = dropped.map { erased($0) ?? $0 }
        for (key, known) in answers where versions.contains(known.answer.version) {
            let answer = StoredAnswer(
                fingerprint: known.answer.fingerprint, version: known.answer.version, changed: known.answer.changed)
            answers[key] = (answer, known.at)
        }
    }

    /// Stores an answer, and removes those that are older than `Idempotency.memory`.
    fileprivate func remember(_ answer: StoredAnswer, to key: String, at time: Timestamp) {
        answers[key] = (answer, time)
        keys.append((key, time))
        while let oldest = keys.first, oldest.at < time - Idempotency.memory {
            _ = keys.popFirst()
            if let known = answers[oldest.key], known.at == oldest.at { answers[oldest.key] = nil }
        }
    }
}
