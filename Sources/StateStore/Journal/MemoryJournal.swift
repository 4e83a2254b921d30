import Ground
import JSON
import Reactive
import Synchronization

/// A journal in memory, for `--memory` and for tests.
public final class MemoryJournal: Journal, Sendable {
    /// One space.
    fileprivate final class SpaceEntry {
        let name: SpaceName
        var version = 0
        var hasWork = false
        /// The variables, in the order of their first fact. A linear search through a few names is faster than hashing.
        var variables: [StoredVariable] = []
        var commits: RingBuffer<CommitRecord>
        var answers: [String: (answer: StoredAnswer, at: Timestamp)] = [:]
        /// The keys of the answers, oldest first.
        var keys = Fifo<(key: String, at: Timestamp)>()

        init(_ name: SpaceName, history: Int) {
            self.name = name
            commits = RingBuffer(history)
        }
    }

    /// The facts of one variable: a value, or entries.
    fileprivate struct StoredVariable {
        let name: String
        var whole: [UInt8]?
        var entries: [CodeUnits: [UInt8]] = [:]
        /// The keys of the entries of `whole` that later facts have removed.
        var gone: Set<CodeUnits> = []

        init(_ name: String) {
            self.name = name
        }
    }

    /// All spaces, behind the lock.
    fileprivate struct StoredSpaces {
        /// The maximum number of commits of each space.
        let history: Int
        var spaces: [SpaceName: SpaceEntry] = [:]
        /// The space of the last commit. The next commit is often in the same space.
        // Unmanaged, to avoid a retain for each commit. `spaces` owns the object, and the pointer does not leave the
        // lock.
        var latest: Unmanaged<SpaceEntry>?
        var followers: [Int: @Sendable ([CommitRecord]) -> Void] = [:]
        var nextFollower = 0
        var lives: LifeTable
    }

    private let content: Lock<StoredSpaces>
    private let era: UInt64
    private let lifeCount = Atomic(0)
    /// The key of the digests that clients see. It lasts as long as the process.
    public let digestKey = DigestKey.random()

    /// Creates an empty journal that keeps the last `history` commits of each space.
    public init(history: Int = 10_000, era: UInt64 = .random(in: .min ... .max)) {
        self.era = era
        content = Lock(StoredSpaces(history: history, lives: LifeTable(era: era)))
    }

    /// Appends commits.
    public func append(_ commits: [CommitRecord]) throws(JournalFailure) -> [AppendResult] {
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
        for follower in followers where !kept.isEmpty { follower(kept) }
        return results
    }

    /// Appends one commit.
    public func append(one commit: CommitRecord) throws(JournalFailure) -> AppendResult {
        let (result, followers) = content.with { content in
            let result = content.keep(commit)
            let isNews = result == .kept && commit.facts.count > 0 && !content.followers.isEmpty
            return (result, isNews ? Array(content.followers.values) : [])
        }
        for follower in followers { follower([commit]) }
        return result
    }

    /// Loads the content of a space.
    public func load(_ space: SpaceName) throws(JournalFailure) -> StoredSpace? {
        content.with { $0.spaces[space].map { StoredSpace(version: $0.version, facts: $0.facts) } }
    }

    /// The commits of a space after a version.
    public func read(_ space: SpaceName, after version: Int, limit: Int) throws(JournalFailure) -> CommitHistory {
        content.with { content in
            guard let kept = content.spaces[space] else { return .commits([]) }
            let oldest = kept.version - kept.commits.count
            guard version >= oldest else { return .gone(oldest: oldest) }
            return .commits(kept.commits.some(after: version - oldest, limit: limit))
        }
    }

    /// Returns the answer to a call with `key`.
    public func answer(
        _ space: SpaceName, key: String, since earliest: Timestamp
    ) throws(JournalFailure) -> StoredAnswer? {
        content.with { $0.spaces[space]?.answers[key].flatMap { $0.at >= earliest ? $0.answer : nil } }
    }

    /// Returns the spaces after `name`.
    public func spaces(after name: SpaceName?, limit: Int) throws(JournalFailure) -> [(name: SpaceName, version: Int)] {
        content.with { content in
            content.spaces.keys.filter { name == nil || $0 > name! }.sorted().prefix(limit).map {
                ($0, content.version(of: $0))
            }
        }
    }

    /// Returns the spaces after `name` with work for effects.
    public func spacesWithWork(after name: SpaceName?, limit: Int) throws(JournalFailure) -> [SpaceName] {
        content.with { content in
            let names = content.spaces.filter { $0.value.hasWork && (name == nil || $0.key > name!) }.keys
            return Array(names.sorted().prefix(limit))
        }
    }

    /// Deletes a space.
    public func forget(_ space: SpaceName) throws(JournalFailure) -> Bool {
        content.with { content in
            guard content.spaces.removeValue(forKey: space) != nil else { return false }
            content.latest = nil
            content.lives = content.lives.forgetting(space)
            lifeCount.store(content.lives.count, ordering: .releasing)
            return true
        }
    }

    /// The versions that a client may still name.
    public var lives: LifeTable { content.with { $0.lives } }

    /// The current life.
    public var life: Life { Life(era: era, count: lifeCount.load(ordering: .acquiring)) }

    /// Calls `receive` with stored commits.
    public func follow(_ receive: @escaping @Sendable ([CommitRecord]) -> Void) -> JournalSubscription {
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

    /// Succeeds: memory can always store a commit.
    public func probe() throws(JournalFailure) {}

    /// Does nothing.
    @discardableResult
    public func close() -> JournalFailure? { nil }
}

extension MemoryJournal.StoredSpaces {
    fileprivate func version(of space: SpaceName) -> Int { spaces[space]?.version ?? 0 }

    fileprivate mutating func keep(_ commit: CommitRecord) -> AppendResult {
        if let result = latest?._withUnsafeGuaranteedRef({ $0.name == commit.space ? $0.keep(commit) : nil }) {
            return result
        }
        if let known = spaces[commit.space] {
            latest = .passUnretained(known)
            return known.keep(commit)
        }
        let new = MemoryJournal.SpaceEntry(commit.space, history: history)
        let result = new.keep(commit)
        if new.version > 0 { spaces[commit.space] = new }
        return result
    }
}

extension MemoryJournal.StoredVariable {
    fileprivate mutating func take(_ entry: String?, _ value: consuming [UInt8]?) {
        guard let entry = entry.map({ CodeUnits($0) }) else {
            whole = value
            if !entries.isEmpty { entries = [:] }
            if !gone.isEmpty { gone = [] }
            return
        }
        entries[entry] = value
        guard whole != nil else { return }
        if value == nil { gone.insert(entry) } else { gone.remove(entry) }
    }
}

extension MemoryJournal.SpaceEntry {
    fileprivate func keep(_ commit: CommitRecord) -> AppendResult {
        let isCommit = commit.facts.count > 0
        guard commit.version == (isCommit ? version + 1 : version) else { return .moved(to: version) }
        if isCommit {
            version = commit.version
            hasWork = commit.leavesWork
            // By index, because iteration would copy the array.
            for place in 0..<commit.facts.count {
                let fact = commit.facts[place]
                take(fact.variable, fact.entry, fact.value)
            }
            commits.append(commit)
        }
        if commit.hasKey, let idempotency = commit.idempotency {
            let answer = StoredAnswer(
                fingerprint: idempotency.fingerprint, version: commit.version, changed: commit.changed)
            remember(answer, to: idempotency.key, at: commit.at)
        }
        return .kept
    }

    private func take(_ name: String, _ entry: String?, _ value: consuming [UInt8]?) {
        for index in variables.indices where variables[index].name == name {
            return variables[index].take(entry, value)
        }
        variables.append(MemoryJournal.StoredVariable(name))
        variables[variables.count - 1].take(entry, value)
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

    /// The facts of all variables.
    fileprivate var facts: [Fact] {
        variables.flatMap { variable -> [Fact] in
            let name = variable.name
            let whole = variable.whole.map { [Fact(variable: name, value: $0)] } ?? []
            let gone = variable.gone.map { Fact(variable: name, entry: $0.text, value: nil) }
            let entries = variable.entries.map { Fact(variable: name, entry: $0.key.text, value: $0.value) }
            return whole + (gone + entries).sorted { ($0.entry ?? "") < ($1.entry ?? "") }
        }
    }
}
