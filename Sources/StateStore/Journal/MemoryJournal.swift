import Glibc

/// A journal that keeps nothing beyond the process: for `--memory`, and for tests.
public final class MemoryJournal: Journal, @unchecked Sendable {
    // Sendable because everything in it is touched only while the lock is held.
    /// One space.
    fileprivate struct Kept {
        var version = 0
        var variables: [String: Variable] = [:]
        /// The names of the variables, in the order of their first fact.
        var order: [String] = []
        var commits: [CommitRecord] = []
        var answers: [String: (answer: KeptAnswer, at: Timestamp)] = [:]
    }

    /// What is true of one variable: a value, or entries.
    fileprivate struct Variable {
        var whole: [UInt8]?
        var entries: [String: [UInt8]] = [:]
        /// Entries that the value as a whole has, and that have gone since.
        var gone: Set<String> = []
    }

    /// How many commits of each space are kept.
    private let history: Int
    private var spaces: [SpaceName: Kept] = [:]
    private var followers: [Int: @Sendable ([CommitRecord]) -> Void] = [:]
    private var nextFollower = 0
    private let lock: UnsafeMutablePointer<pthread_mutex_t>

    /// A number that is larger for each journal.
    public let epoch: Int

    /// A journal of which nothing is left at the end, and which knows the last `history` commits of each space.
    public init(history: Int = 10_000, epoch: Int = 1) {
        self.history = history
        self.epoch = epoch
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
    public func append(_ commits: [CommitRecord]) throws(JournalFailure) -> [Appended] {
        let (results, kept, followers) = locked {
            let results = commits.map(keep)
            return (results, zip(commits, results).filter { $0.1 == .kept && !$0.0.facts.isEmpty }.map(\.0), Array(self.followers.values))
        }
        for follower in followers where !kept.isEmpty { follower(kept) }
        return results
    }

    private func keep(_ commit: CommitRecord) -> Appended {
        let isCommit = !commit.facts.isEmpty
        let current = spaces[commit.space]?.version ?? 0
        guard commit.version == (isCommit ? current + 1 : current) else { return .moved(to: current) }
        if isCommit {
            spaces[commit.space, default: Kept()].version = commit.version
            for fact in commit.facts { spaces[commit.space]?.take(fact) }
            spaces[commit.space]?.remember(commit, history: history)
        }
        if let idempotency = commit.idempotency {
            let answer = KeptAnswer(fingerprint: idempotency.fingerprint, version: commit.version, changed: commit.changed)
            spaces[commit.space]?.answers[idempotency.key] = (answer, commit.at)
        }
        return .kept
    }

    /// What a space is made of.
    public func load(_ space: SpaceName) throws(JournalFailure) -> KeptSpace? {
        locked { spaces[space].map { KeptSpace(version: $0.version, facts: $0.facts) } }
    }

    /// The commits of a space after a version.
    public func read(_ space: SpaceName, after version: Int, limit: Int) throws(JournalFailure) -> Past {
        locked {
            guard let kept = spaces[space] else { return .commits([]) }
            let oldest = kept.version - kept.commits.count
            guard version >= oldest else { return .gone(oldest: oldest) }
            return .commits(Array(kept.commits.dropFirst(version - oldest).prefix(limit)))
        }
    }

    /// The answer to an action that was sent with a key.
    public func answer(_ space: SpaceName, key: String, since earliest: Timestamp) throws(JournalFailure) -> KeptAnswer? {
        locked { spaces[space]?.answers[key].flatMap { $0.at >= earliest ? $0.answer : nil } }
    }

    /// The spaces after one.
    public func spaces(after name: SpaceName?, limit: Int) throws(JournalFailure) -> [(name: SpaceName, version: Int)] {
        locked {
            spaces.keys.filter { name == nil || $0 > name! }.sorted().prefix(limit).map { ($0, spaces[$0]?.version ?? 0) }
        }
    }

    /// Forgets a space.
    public func forget(_ space: SpaceName) throws(JournalFailure) -> Bool {
        locked { spaces.removeValue(forKey: space) != nil }
    }

    /// Has somebody told of what is kept.
    public func follow(_ receive: @escaping @Sendable ([CommitRecord]) -> Void) -> Following {
        locked {
            let number = nextFollower
            nextFollower += 1
            followers[number] = receive
            return Following { [weak self] in
                guard let self else { return }
                locked { self.followers[number] = nil }
            }
        }
    }

    /// Ends it.
    public func close() {}
}

extension MemoryJournal.Kept {
    fileprivate mutating func take(_ fact: Fact) {
        if variables[fact.variable] == nil {
            variables[fact.variable] = MemoryJournal.Variable()
            order.append(fact.variable)
        }
        guard let entry = fact.entry else {
            variables[fact.variable]?.whole = fact.value
            variables[fact.variable]?.entries = [:]
            variables[fact.variable]?.gone = []
            return
        }
        variables[fact.variable]?.entries[entry] = fact.value
        if fact.value == nil, variables[fact.variable]?.whole != nil { variables[fact.variable]?.gone.insert(entry) } else {
            variables[fact.variable]?.gone.remove(entry)
        }
    }

    fileprivate mutating func remember(_ commit: CommitRecord, history: Int) {
        commits.append(commit)
        if commits.count >= 2 * max(history, 1) { commits.removeFirst(commits.count - history) }
    }

    /// What is true.
    fileprivate var facts: [Fact] {
        order.flatMap { name -> [Fact] in
            guard let variable = variables[name] else { return [] }
            let whole = variable.whole.map { [Fact(variable: name, value: $0)] } ?? []
            let gone = variable.gone.sorted().map { Fact(variable: name, entry: $0, value: nil) }
            return whole + gone + variable.entries.sorted { $0.key < $1.key }.map { Fact(variable: name, entry: $0.key, value: $0.value) }
        }
    }
}
