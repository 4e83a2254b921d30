public import StateStore
internal import Synchronization

/// The journal on the system's SQLite: one file in one directory, which one process has at a time.
///
/// Appends are made on one connection, reads on another, so that neither waits for the other; a thread of its own keeps the file in shape.
/// A person reads it with `sqlite3 journal.sqlite`: `SELECT * FROM history`, `SELECT * FROM snapshots`.
public final class SQLiteJournal: Journal {
    /// How many commits of each space are kept unless told otherwise.
    public static let history = 10_000

    let upkeep: Upkeep
    private let reader: Guarded<Reader?>
    private let thread: Guarded<Thread?>
    private let lock: Guarded<DirectoryLock?>
    private let lives_: Guarded<LifeTable>
    /// Had by a call that forgets a space, so that nobody who only asks for the lives waits for the disk.
    private let forgetting = Guarded(())
    /// The key of the digests that clients see.
    public let digestKey: DigestKey
    private let followers = Followers()
    private let directory: String
    private let path: String
    private let history: Int

    /// Opens the journal in a directory, or begins one there. Of each space the last `history` commits can be read.
    public init(directory: String, durability: Durability = .commit, history: Int = history) throws(JournalFailure) {
        let home = Home(directory: directory)
        try home.create()
        let lock = try DirectoryLock(home)
        let isNew = try !home.hasDatabase()
        let lifeFile = LifeFile(home)
        if let damage = try SyncMark.damage(in: home) { throw damage }
        let connection = try Connection(home.database, .writing)
        try Schema.check(connection)
        try connection.writeAhead()
        // What SQLite calls NORMAL syncs the log before it is copied and never a commit, so a loss of power can take the last ones but leaves a
        // whole file. That a life has begun is made durable in each case: no version is ever told twice.
        try connection.execute("PRAGMA synchronous = FULL")
        try connection.execute("PRAGMA wal_autocheckpoint = 0")
        try connection.execute("PRAGMA journal_size_limit = \(4 * Agenda.checkpointPages * 4_096)")
        try connection.execute("PRAGMA cache_size = -16384")
        // The process before this one may have died of a failed sync: what the kernel shows of the log need not be on the disk.
        if home.hasLog() { try connection.renew(try LogFile(home)) }
        // What history drops need not be blotted out, which would write every freed page once more. See Chores.clear.
        try connection.execute("PRAGMA secure_delete = OFF")
        try Schema.migrate(connection)
        // The note of synced frames is there before the life begins, which syncs the directory.
        _ = try SyncMark(home)
        lives_ = Guarded(try Register.begin(durability, lifeFile, on: connection))
        digestKey = try Register.digestKey(on: connection)
        if durability != .commit { try connection.execute("PRAGMA synchronous = NORMAL") }
        if isNew { try home.sync() }

        let writer = try Writer(connection, durability, in: home)
        let desk = Upkeep.Desk(writer: writer, chores: try Chores(writer, history: max(0, history)))
        upkeep = Upkeep(
            desk, try Reader(Connection(home.database, .reading)), try LogFile(home), at: home.database)
        reader = Guarded(try Reader(Connection(home.database, .reading)))
        thread = Guarded(try Thread { [upkeep] in upkeep.run() })
        self.lock = Guarded(lock)
        self.directory = directory
        path = home.database
        self.history = max(0, history)
    }

    deinit {
        close()
    }

    /// Keeps commits, in their order, all in one transaction.
    public func append(_ commits: [CommitRecord]) throws(JournalFailure) -> [AppendResult] {
        let outcomes = try upkeep.write { writer throws(JournalFailure) in try writer.append(commits) }
        followers.tell(commits, outcomes)
        return outcomes
    }

    /// Tries whether something can be kept just now, without keeping anything.
    public func probe() throws(JournalFailure) {
        try upkeep.write { writer throws(JournalFailure) in try writer.probe() }
    }

    /// What a space is made of.
    public func load(_ space: SpaceName) throws(JournalFailure) -> StoredSpace? {
        guard let (kept, head) = try read({ reader throws(JournalFailure) in try reader.load(space) }) else { return nil }
        if head.version - head.snapshot > Reader.tailCommitsLimit {
            upkeep.noticeTail(of: space, id: head.id)
        }
        return kept
    }

    /// The commits of a space after a version, oldest first, at most `limit` of them.
    public func read(_ space: SpaceName, after version: Int, limit: Int) throws(JournalFailure) -> CommitHistory {
        try read { reader throws(JournalFailure) in try reader.read(space, after: version, limit: limit, history: history) }
    }

    /// The answer that was given to an action that was sent with `key` at or after `earliest`.
    public func answer(_ space: SpaceName, key: String, since earliest: Timestamp) throws(JournalFailure) -> StoredAnswer? {
        try read { reader throws(JournalFailure) in try reader.answer(space, key: key, since: earliest) }
    }

    /// The spaces after one, in the order of their names, at most `limit` of them.
    public func spaces(after name: SpaceName?, limit: Int) throws(JournalFailure) -> [(name: SpaceName, version: Int)] {
        try read { reader throws(JournalFailure) in try reader.spaces(after: name, limit: limit) }
    }

    /// The spaces after one whose last commit left work for their effects, in the order of their names, at most `limit` of them.
    public func spacesWithWork(after name: SpaceName?, limit: Int) throws(JournalFailure) -> [SpaceName] {
        try read { reader throws(JournalFailure) in try reader.spacesWithWork(after: name, limit: limit) }
    }

    /// Forgets a space, and all that it ever was; whether there was one. Its rows go in the background.
    public func forget(_ space: SpaceName) throws(JournalFailure) -> Bool {
        try forgetting.withLock { _ throws(JournalFailure) in
            let lives = lives
            let next = lives.forgetting(space)
            let existed = try upkeep.write { writer throws(JournalFailure) in try writer.forget(space, lives, next) }
            if existed { lives_.withLock { $0 = next } }
            return existed
        }
    }

    /// Which versions may still be meant.
    public var lives: LifeTable { lives_.withLock { $0 } }

    /// Has `receive` called with every batch that is kept from now on, on the thread that appends it.
    public func follow(_ receive: @escaping @Sendable ([CommitRecord]) -> Void) -> JournalSubscription {
        followers.add(receive)
    }

    /// Why what goes on in the background could not be done when it was last tried; nil where all is well.
    public var upkeepFailure: JournalFailure? {
        upkeep.failure
    }

    /// The number of syncs that failed.
    public var syncFailures: Int {
        upkeep.syncFailures.load(ordering: .relaxed)
    }

    /// Has `receive` called when the condition changes, on the thread that finds it changed.
    public func watch(_ receive: @escaping @Sendable (JournalCondition) -> Void) {
        upkeep.onChange.withLock { $0 = receive }
    }

    /// Does now what would be done in the background.
    package func settle() throws(JournalFailure) {
        try upkeep.settle()
    }

    /// Ends it: the log is copied to its place and synced, and the directory is free for others. Returns the failure if that could not be done.
    @discardableResult
    public func close() -> JournalFailure? {
        upkeep.stop()
        if let thread = thread.withLock({ $0.take() }) { thread.join() }
        reader.withLock { $0 = nil }
        let failure = upkeep.close()
        lock.withLock { lock in
            // A directory that was not closed in order cannot prove at the next start that it continues, and begins a new era: that is safe.
            if lock != nil, failure == nil { try? LifeFile.end(Home(directory: directory)) }
            lock = nil
        }
        return failure
    }

    private func read<Result: Sendable>(_ body: (Reader) throws(JournalFailure) -> Result) throws(JournalFailure) -> Result {
        try reader.withLock { reader throws(JournalFailure) in
            guard let reader else { throw JournalFailure(.unusable, "The journal \(path) is closed.") }
            return try body(reader)
        }
    }
}
