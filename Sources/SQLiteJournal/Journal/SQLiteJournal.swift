internal import Ground
internal import Platform
package import StateStore
internal import Synchronization

/// The journal on the system's SQLite: one database in one directory, which one process opens at a time.
///
/// One connection appends and another reads, so that neither waits for the other. A separate thread does the
/// maintenance. The database can be read with `sqlite3 journal.sqlite`: `SELECT * FROM history`, `SELECT * FROM
/// snapshots`.
package final class SQLiteJournal: Journal {
    /// The default number of stored commits of each space.
    package static let history = 10_000

    /// The key of the digests that clients see.
    package let digestKey: DigestKey
    let maintenance: MaintenanceThread
    private let reader: Lock<JournalReader?>
    private let thread: Lock<SystemThread?>
    private let lock: Lock<DirectoryLock?>
    let currentLives: Lock<LifeTable>
    /// Held by a call that deletes a space. It is separate from the lock of the lives, so that their readers never wait
    /// for the disk.
    let forgetting = Lock(())
    let followers = CommitFollowers()
    let folder: JournalDirectory
    let history: Int
    private let erasures = Atomic(0)
    /// The spaces in which damage was found.
    package let damaged = DamagedSpaces()
    private let verification = Lock<VerificationThread?>(nil)
    private let verifying = Lock<SystemThread?>(nil)

    /// Opens the journal in a directory, or creates one there. It keeps the last `history` commits of each space.
    /// A load of a space that would take more than `spaceLimit` bytes in memory fails.
    package init(
        directory: String, durability: Durability = .commit, history: Int = history, spaceLimit: Int = .max
    ) throws(JournalFailure) {
        let folder = JournalDirectory(path: directory)
        try folder.create()
        let lock = try DirectoryLock(folder)
        let isNew = try !folder.hasDatabase()
        let lifeFile = LifeFile(folder)
        if isNew, lifeFile.hasBegun { throw .damaged(folder.database, "it is missing, but the directory was in use") }
        if let damage = try SyncMark.damage(in: folder) { throw damage }
        let connection = try DatabaseConnection(folder.database, .writing)
        try Schema.check(connection)
        try connection.writeAhead()
        // With every durability the start of a life is synced, so that no version is assigned twice.
        try connection.execute("PRAGMA synchronous = FULL")
        try connection.execute("PRAGMA wal_autocheckpoint = 0")
        try connection.execute("PRAGMA journal_size_limit = \(4 * MaintenancePlan.checkpointPages * 4_096)")
        try connection.execute("PRAGMA cache_size = -16384")
        // The previous process may have ended after a failed sync. Then the kernel may show a log that is not on the
        // disk.
        if folder.hasLog() { try connection.renew(try LogFile(folder)) }
        // Whole pages of trimmed commits need not be overwritten, which would write every freed page once more.
        // `Maintenance.clear` overwrites the rows of deleted spaces.
        try connection.execute("PRAGMA secure_delete = FAST")
        try Schema.migrate(connection)
        try FeedRows.noteHistory(max(0, history), on: connection)
        // The sync mark is created before the life begins, which syncs the directory.
        _ = try SyncMark(folder)
        currentLives = Lock(try EpochTable.begin(durability, lifeFile, on: connection))
        digestKey = try EpochTable.digestKey(on: connection)
        // NORMAL syncs the log before each checkpoint and at no commit. A power loss can lose the last commits, but
        // leaves a consistent database.
        if durability != .commit { try connection.execute("PRAGMA synchronous = NORMAL") }
        if isNew { try folder.sync() }

        let writer = try BatchWriter(connection, durability, in: folder)
        let hasErased = writer.hasErased
        let shared = SharedWriter(
            try Maintenance(writer, history: max(0, history)),
            try JournalReader(DatabaseConnection(folder.database, .reading)),
            try LogFile(folder), at: folder.database)
        maintenance = MaintenanceThread(shared)
        let spaces = try JournalReader(DatabaseConnection(folder.database, .reading))
        spaces.spaceLimit = spaceLimit
        reader = Lock(spaces)
        do {
            thread = Lock(try SystemThread { [maintenance] in maintenance.run() })
        } catch {
            throw JournalFailure(.unusable, "\(error)")
        }
        if hasErased { maintenance.wake() }
        self.lock = Lock(lock)
        self.folder = folder
        self.history = max(0, history)
    }

    deinit {
        close()
    }

    // MARK: Writing

    /// Appends commits in their order, all in one transaction, and returns the outcome of each.
    package func append(_ commits: [CommitRecord]) throws(JournalFailure) -> [AppendResult] {
        let outcomes = try maintenance.write { writer throws(JournalFailure) in try writer.append(commits) }
        if commits.contains(where: \.erases) { noteErased() }
        followers.tell(commits, outcomes)
        return outcomes
    }

    /// The number of appends that have erased rows.
    package var erasureCount: Int { erasures.load(ordering: .acquiring) }

    /// Removes the bytes of erased rows from the files. The rows are gone already: if it fails, the maintenance tries
    /// again.
    func noteErased() {
        erasures.add(1, ordering: .releasing)
        try? maintenance.shared.scrub(upTo: SharedWriter.vacuumAtOnceBytesLimit)
    }

    /// True if commits are not synced one by one.
    package var appendsAtOnce: Bool { maintenance.shared.durability != .commit }

    /// Appends commits like `append` if no other thread or process writes now and nothing is in doubt, else returns nil.
    package func appendAtOnce(_ commits: [CommitRecord]) throws(JournalFailure) -> [AppendResult]? {
        guard appendsAtOnce, !commits.contains(where: \.erases) else { return nil }
        let outcomes = try maintenance.writeAtOnce { writer throws(JournalFailure) in
            try writer.appendAtOnce(commits)
        }
        if let outcomes { followers.tell(commits, outcomes) }
        return outcomes
    }

    /// Throws if nothing can be written now. It writes and deletes one row.
    package func probe() throws(JournalFailure) {
        try maintenance.write { writer throws(JournalFailure) in try writer.probe() }
    }

    /// Deletes a space and its history. Returns false if it did not exist. The maintenance thread deletes its rows
    /// later.
    package func forget(_ space: SpaceName) throws(JournalFailure) -> Bool {
        let existed = try forgetting.withLock { _ throws(JournalFailure) in
            let lives = lives
            let next = lives.forgetting(space)
            let existed = try maintenance.write { writer throws(JournalFailure) in try writer.forget(space, lives, next)
            }
            if existed { currentLives.withLock { $0 = next } }
            return existed
        }
        if existed {
            damaged.clear(space)
            followers.tellDeletion()
        }
        return existed
    }

    // MARK: Reading

    /// The state of a space, or nil if there is none.
    package func load(_ space: SpaceName) throws(JournalFailure) -> StoredSpace? {
        let loaded = try read(of: space) { reader throws(JournalFailure) in try reader.load(space) }
        guard let loaded else { return nil }
        return note(space, loaded)
    }

    /// The states of several spaces, read in one transaction.
    package func load(all spaces: [SpaceName]) -> [Result<StoredSpace?, JournalFailure>] {
        do throws(JournalFailure) {
            let loaded = try read { reader throws(JournalFailure) in try reader.load(all: spaces) }
            return zip(spaces, loaded).map { space, content in
                if case .failure(let failure) = content { noteDamage(failure, of: space) }
                return content.map { $0.map { note(space, $0) } }
            }
        } catch {
            return spaces.map { _ in .failure(error) }
        }
    }

    /// Requests a snapshot of a loaded space with a long tail.
    private func note(_ space: SpaceName, _ loaded: (space: StoredSpace, head: SpaceHead)) -> StoredSpace {
        let (kept, head) = loaded
        if head.version - head.snapshot > JournalReader.tailCommitsLimit {
            maintenance.noticeTail(of: space, id: head.id)
        }
        return kept
    }

    /// The commits of a space after a version, oldest first, at most `limit` of them.
    package func read(_ space: SpaceName, after version: Int, limit: Int) throws(JournalFailure) -> CommitHistory {
        try read(of: space) { reader throws(JournalFailure) in
            try reader.read(space, after: version, limit: limit, history: history)
        }
    }

    /// Returns the answer to the call with `key` at or after `earliest`.
    package func answer(
        _ space: SpaceName, key: String, since earliest: Timestamp
    ) throws(JournalFailure) -> StoredAnswer? {
        try read(of: space) { reader throws(JournalFailure) in try reader.answer(space, key: key, since: earliest) }
    }

    /// The spaces after `name`, in the order of their names, at most `limit` of them.
    package func spaces(
        after name: SpaceName?, limit: Int
    ) throws(JournalFailure) -> [(name: SpaceName, version: Int)] {
        try read { reader throws(JournalFailure) in try reader.spaces(after: name, limit: limit) }
    }

    /// The summary of a space; nil if there is none.
    package func summary(of space: SpaceName) throws(JournalFailure) -> SpaceSummary? {
        try read(of: space) { reader throws(JournalFailure) in try reader.summary(of: space) }
    }

    /// The spaces after `name` whose last commit left work for effects, in the order of their names, at most `limit` of
    /// them.
    package func spacesWithWork(after name: SpaceName?, limit: Int) throws(JournalFailure) -> [SpaceName] {
        try read { reader throws(JournalFailure) in try reader.spacesWithWork(after: name, limit: limit) }
    }

    /// The lives of the journal and of its spaces, which decide whether a client's tag is valid.
    package var lives: LifeTable { currentLives.withLock { $0 } }

    /// Runs `body` with the reader, and notes damage of the space that it reads.
    func read<Result: Sendable>(
        of space: SpaceName, _ body: (JournalReader) throws(JournalFailure) -> Result
    ) throws(JournalFailure) -> Result {
        do throws(JournalFailure) {
            return try read(body)
        } catch {
            noteDamage(error, of: space)
            throw error
        }
    }

    private func noteDamage(_ failure: JournalFailure, of space: SpaceName) {
        if failure.kind == .damaged { damaged.note(space, failure.description) }
    }

    func read<Result: Sendable>(
        _ body: (JournalReader) throws(JournalFailure) -> Result
    ) throws(JournalFailure) -> Result {
        try reader.withLock { reader throws(JournalFailure) in
            guard let reader else { throw JournalFailure(.unusable, "The journal \(folder.database) is closed.") }
            return try body(reader)
        }
    }

    // MARK: Listening

    /// Calls `receive` with every batch that is appended from now on, on the thread that appends it, until the result
    /// is released.
    package func follow(_ receive: @escaping @Sendable ([CommitRecord]) -> Void) -> JournalSubscription {
        followers.add(receive)
    }

    /// Calls `receive` after each batch that is appended and each deletion, until the result is released.
    package func followAll(_ receive: @escaping @Sendable () -> Void) -> JournalSubscription {
        followers.add(hearsDeletions: true) { _ in receive() }
    }

    /// Calls `receive` when the condition changes, on the thread that finds the change.
    package func watch(_ receive: @escaping @Sendable (JournalCondition) -> Void) {
        maintenance.shared.health.watch(receive)
    }

    /// The failure of the last maintenance, or nil if it succeeded.
    package var maintenanceFailure: JournalFailure? { maintenance.shared.health.failure }

    /// The number of syncs that failed.
    package var syncFailures: Int { maintenance.shared.health.syncFailures.load(ordering: .relaxed) }

    // MARK: Verification

    /// Begins to read everything in the background, every `nanoseconds`, and to note damaged spaces.
    package func verify(every nanoseconds: Int64) throws(JournalFailure) {
        let work = VerificationThread(folder.database, every: nanoseconds, damaged)
        verification.withLock { $0 = work }
        do throws(SystemThread.Failure) {
            try verifying.withLock { thread throws(SystemThread.Failure) in thread = try SystemThread { work.run() } }
        } catch {
            throw JournalFailure(.unusable, "\(error)")
        }
    }

    // MARK: End

    /// Does the maintenance now, on the calling thread.
    package func settle() throws(JournalFailure) {
        try maintenance.settle()
    }

    /// Copies the log into the database, syncs it, and releases the directory. Returns the failure if there was one.
    @discardableResult
    package func close() -> JournalFailure? {
        verification.withLock { $0 }?.stop()
        if let thread = verifying.withLock({ $0.take() }) { thread.join() }
        maintenance.stop()
        if let thread = thread.withLock({ $0.take() }) { thread.join() }
        reader.withLock { $0 = nil }
        let failure = maintenance.shared.close()
        lock.withLock { lock in
            // If this fails, the next start cannot prove that the directory continues, and begins a new era, which is
            // safe.
            if lock != nil, failure == nil { try? LifeFile.end(folder) }
            lock = nil
        }
        return failure
    }
}

/// The callbacks that receive appended commits.
final class CommitFollowers: Sendable {
    private struct Receivers {
        var receivers: [Int: @Sendable ([CommitRecord]) -> Void] = [:]
        /// The receivers that are also told of deletions, with an empty batch.
        var ofDeletions: Set<Int> = []
        var next = 0
    }

    private let state = Lock(Receivers())

    /// Adds a callback until the result is released.
    func add(
        hearsDeletions: Bool = false, _ receive: @escaping @Sendable ([CommitRecord]) -> Void
    ) -> JournalSubscription {
        let number = state.withLock { state in
            state.next += 1
            state.receivers[state.next] = receive
            if hearsDeletions { state.ofDeletions.insert(state.next) }
            return state.next
        }
        return JournalSubscription { [weak self] in
            // The closure is released outside the lock, because its deinitializers may run any code.
            _ = self?.state.withLock { state in
                state.ofDeletions.remove(number)
                return state.receivers.removeValue(forKey: number)
            }
        }
    }

    /// Calls the callbacks that hear of deletions.
    func tellDeletion() {
        let receivers = state.withLock { state in state.ofDeletions.sorted().compactMap { state.receivers[$0] } }
        for receive in receivers { receive([]) }
    }

    /// Calls the callbacks with the stored commits.
    func tell(_ commits: [CommitRecord], _ outcomes: [AppendResult]) {
        let receivers = state.withLock { state in state.receivers.sorted { $0.key < $1.key }.map(\.value) }
        guard !receivers.isEmpty else { return }
        let kept = zip(commits, outcomes).filter { $0.1 == .kept && !$0.0.facts.isEmpty }.map(\.0)
        guard !kept.isEmpty else { return }
        for receive in receivers { receive(kept) }
    }
}

/// The journal as a copy of a log that several machines share.
extension SQLiteJournal {
    /// Returns what `append` would return, without storing anything.
    package func fits(_ commits: [CommitRecord]) throws(JournalFailure) -> [AppendResult] {
        try maintenance.write { writer throws(JournalFailure) in try writer.fits(commits) }
    }

    /// Stores steps and rows in one transaction. A row replaces that of the same name. Throws `damaged` and stores
    /// nothing if a commit is not the next of its space.
    package func apply(_ steps: [CopyStep], rows: [CopyRow]) throws(JournalFailure) {
        try forgetting.withLock { _ throws(JournalFailure) in
            let lives = lives
            let next = try maintenance.write { writer throws(JournalFailure) in
                try writer.apply(steps, rows: rows, lives)
            }
            if next != lives { currentLives.withLock { $0 = next } }
        }
        if steps.contains(where: \.erases) { noteErased() }
        var hasForgotten = false
        for step in steps {
            switch step {
            case .commits(let commits, _): followers.tell(commits, commits.map { _ in .kept })
            case .forget: hasForgotten = true
            }
        }
        if hasForgotten { followers.tellDeletion() }
    }

    /// Returns the places in the log of commits and deletions at places of this copy; nil where there is none.
    package func shares(of places: [Int]) throws(JournalFailure) -> [Int?] {
        try read { reader throws(JournalFailure) in try LogPlaces.shares(of: places, on: reader.connection) }
    }

    /// Returns the cursor before the first commit or deletion that a reader of a cluster does not have.
    package func cursor(after shares: [Int]) throws(JournalFailure) -> JournalCursor {
        try read { reader throws(JournalFailure) in try LogPlaces.cursor(after: shares, on: reader.connection) }
    }

    /// The rows that `apply` has stored.
    package func rows() throws(JournalFailure) -> [CopyRow] {
        try read { reader throws(JournalFailure) in
            let statement = try Statement(
                reader.connection,
                "SELECT substr(name, \(CopyRows.prefix.count + 1)), value FROM meta WHERE name GLOB '\(CopyRows.prefix)*'"
            )
            var rows: [CopyRow] = []
            while try statement.step() { rows.append(CopyRow(statement.text(0), statement.text(1))) }
            return rows
        }
    }
}

/// Reads of the past, of alarms and of all spaces.
extension SQLiteJournal {
    /// Loads the content of a space as of a version.
    package func load(_ space: SpaceName, at version: Int) throws(JournalFailure) -> PastState {
        try read(of: space) { reader throws(JournalFailure) in try reader.load(space, at: version, history: history) }
    }

    /// Returns the last version of a space that was made at or before `time`.
    package func version(of space: SpaceName, at time: Timestamp) throws(JournalFailure) -> Int? {
        try read(of: space) { reader throws(JournalFailure) in try reader.version(of: space, at: time, history: history)
        }
    }

    /// Returns the heads of commits of a space.
    package func heads(of space: SpaceName, after version: Int, limit: Int) throws(JournalFailure) -> [CommitHead] {
        try read(of: space) { reader throws(JournalFailure) in
            try reader.heads(of: space, after: version, limit: limit, history: history)
        }
    }

    /// Returns the last commit that changed a variable or an entry.
    package func lastChange(
        of variable: String, entry: String?, in space: SpaceName, upTo version: Int
    ) throws(JournalFailure) -> CommitHead? {
        try read(of: space) { reader throws(JournalFailure) in
            try reader.lastChange(of: variable, entry: entry, in: space, upTo: version, history: history)
        }
    }

    /// Returns the names of the spaces after `name` that have no alarm up to `time`.
    package func spaces(
        after name: SpaceName?, limit: Int, alarmedAfter time: Timestamp
    ) throws(JournalFailure) -> [SpaceName] {
        try read { reader throws(JournalFailure) in
            try reader.spaces(after: name, limit: limit, alarmedAfter: time)
        }
    }

    /// Returns the time of the commit that was appended last; nil if there is none.
    package func newestTime() throws(JournalFailure) -> Timestamp? {
        try read { reader throws(JournalFailure) in try reader.newestTime() }
    }

    /// Returns the spaces whose alarm is at `time` or before.
    package func alarms(upTo time: Timestamp, limit: Int) throws(JournalFailure) -> [SpaceAlarm] {
        try read { reader throws(JournalFailure) in try reader.alarms(upTo: time, limit: limit) }
    }

    /// Returns commits and deletions of all spaces after a cursor.
    package func readAll(after cursor: JournalCursor?, limit: Int) throws(JournalFailure) -> AllCommits {
        try read { reader throws(JournalFailure) in try reader.readAll(after: cursor, limit: limit, history: history) }
    }
}
