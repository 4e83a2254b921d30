import Glibc
import JSON
import Reactive
import Synchronization

/// A journal that keeps nothing beyond the process: for `--memory`, and for tests.
public final class MemoryJournal: Journal, @unchecked Sendable {
    // Sendable because everything in it is touched only while the lock is held, but for the count of its life, which is
    // atomic.
    /// One space.
    fileprivate final class SpaceEntry {
        let name: SpaceName
        var version = 0
        var hasWork = false
        /// The variables, in the order of their first fact. Few enough to be looked through: that is quicker than to
        /// hash a name.
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
        /// Entries that the value as a whole has, and that have gone since.
        var gone: Set<CodeUnits> = []

        init(_ name: String) {
            self.name = name
        }
    }

    /// The maximum number of commits of each space.
    private let history: Int
    private var spaces: [SpaceName: SpaceEntry] = [:]
    /// The space that was committed to last: one commit follows another.
    // Unmanaged, because it is looked at for each commit and that need not be counted: `spaces` has it, and nobody is
    // told of it beyond the lock.
    private var latest: Unmanaged<SpaceEntry>?
    private var followers: [Int: @Sendable ([CommitRecord]) -> Void] = [:]
    private var nextFollower = 0
    private var lives_: LifeTable {
        didSet { lifeCount.store(lives_.count, ordering: .releasing) }
    }
    private let era: UInt64
    private let lifeCount = Atomic(0)
    /// The key of the digests that clients see, which ends with the process as all else does.
    public let digestKey = DigestKey.random()
    private let lock: UnsafeMutablePointer<pthread_mutex_t>

    /// A journal of which nothing is left at the end, and which knows the last `history` commits of each space.
    public init(history: Int = 10_000, era: UInt64 = .random(in: .min ... .max)) {
        self.history = history
        self.era = era
        lives_ = LifeTable(era: era)
        lock = .allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return body()
    }

    /// Keeps commits.
    public func append(_ commits: [CommitRecord]) throws(JournalFailure) -> [AppendResult] {
        let (results, kept, followers) = locked {
            // What comes after a commit that was not kept was built on it, even if its number fits.
            var moved: Set<SpaceName> = []
            let results = commits.map { commit in
                let result = moved.contains(commit.space) ? .moved(to: version(of: commit.space)) : keep(commit)
                if result != .kept { moved.insert(commit.space) }
                return result
            }
            return (
                results, zip(commits, results).filter { $0.1 == .kept && !$0.0.facts.isEmpty }.map(\.0),
                Array(self.followers.values)
            )
        }
        for follower in followers where !kept.isEmpty { follower(kept) }
        return results
    }

    /// Keeps one commit.
    public func append(one commit: CommitRecord) throws(JournalFailure) -> AppendResult {
        pthread_mutex_lock(lock)
        let result = keep(commit)
        let isNews = result == .kept && commit.facts.count > 0 && !followers.isEmpty
        guard isNews else {
            pthread_mutex_unlock(lock)
            return result
        }
        let followers = Array(followers.values)
        pthread_mutex_unlock(lock)
        for follower in followers { follower([commit]) }
        return result
    }

    private func version(of space: SpaceName) -> Int { spaces[space]?.version ?? 0 }

    private func keep(_ commit: CommitRecord) -> AppendResult {
        if let result = latest?._withUnsafeGuaranteedRef({ $0.name == commit.space ? $0.keep(commit) : nil }) {
            return result
        }
        if let known = spaces[commit.space] {
            latest = .passUnretained(known)
            return known.keep(commit)
        }
        let new = SpaceEntry(commit.space, history: history)
        let result = new.keep(commit)
        if new.version > 0 { spaces[commit.space] = new }
        return result
    }

    /// Loads the content of a space.
    public func load(_ space: SpaceName) throws(JournalFailure) -> StoredSpace? {
        locked { spaces[space].map { StoredSpace(version: $0.version, facts: $0.facts) } }
    }

    /// The commits of a space after a version.
    public func read(_ space: SpaceName, after version: Int, limit: Int) throws(JournalFailure) -> CommitHistory {
        locked {
            guard let kept = spaces[space] else { return .commits([]) }
            let oldest = kept.version - kept.commits.count
            guard version >= oldest else { return .gone(oldest: oldest) }
            return .commits(kept.commits.some(after: version - oldest, limit: limit))
        }
    }

    /// The answer to an action that was sent with a key.
    public func answer(
        _ space: SpaceName, key: String, since earliest: Timestamp
    ) throws(JournalFailure) -> StoredAnswer? {
        locked { spaces[space]?.answers[key].flatMap { $0.at >= earliest ? $0.answer : nil } }
    }

    /// The spaces after one.
    public func spaces(after name: SpaceName?, limit: Int) throws(JournalFailure) -> [(name: SpaceName, version: Int)] {
        locked {
            spaces.keys.filter { name == nil || $0 > name! }.sorted().prefix(limit).map {
                ($0, spaces[$0]?.version ?? 0)
            }
        }
    }

    /// The spaces after one that were left with work.
    public func spacesWithWork(after name: SpaceName?, limit: Int) throws(JournalFailure) -> [SpaceName] {
        locked {
            Array(spaces.filter { $0.value.hasWork && (name == nil || $0.key > name!) }.keys.sorted().prefix(limit))
        }
    }

    /// Forgets a space.
    public func forget(_ space: SpaceName) throws(JournalFailure) -> Bool {
        locked {
            guard spaces.removeValue(forKey: space) != nil else { return false }
            latest = nil
            lives_ = lives_.forgetting(space)
            return true
        }
    }

    /// The versions that a client may still name.
    public var lives: LifeTable { locked { lives_ } }

    /// The life of now.
    public var life: Life { Life(era: era, count: lifeCount.load(ordering: .acquiring)) }

    /// Calls `receive` with stored commits.
    public func follow(_ receive: @escaping @Sendable ([CommitRecord]) -> Void) -> JournalSubscription {
        locked {
            let number = nextFollower
            nextFollower += 1
            followers[number] = receive
            return JournalSubscription { [weak self] in
                guard let self else { return }
                locked { self.followers[number] = nil }
            }
        }
    }

    /// It can always keep something.
    public func probe() throws(JournalFailure) {}

    /// Ends it.
    @discardableResult
    public func close() -> JournalFailure? { nil }
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
            // By place: to go through them all would copy them all.
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

    /// Remembers an answer, and forgets those that nobody may ask for any more.
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
