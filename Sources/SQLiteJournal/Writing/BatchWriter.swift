internal import StateStore

/// The writing connection, for one thread at a time. It appends batches, deletes spaces, and plans the maintenance.
final class BatchWriter {
    /// A snapshot advances after this many commits or bytes, which is rare enough not to slow appends.
    static let tailCommitsLimit = 1_024
    static let tailBytesLimit = 1_024 * 1_024
    /// The bytes that `probe` writes.
    static let probeBytes = 64 * 1_024
    /// The name of the row of `meta` that is there while the file may have bytes of erased rows.
    static let erased = "erased"

    let connection: DatabaseConnection
    let durability: Durability
    var heads = SpaceHeads()
    /// True if rows of deleted spaces remain.
    var hasForgotten: Bool
    /// True if the file may have bytes of erased rows.
    var hasErased: Bool
    /// The number of batches with erased rows. What was read before one of them may have its rows.
    private(set) var erasureCount = 0
    /// The failure after which the disk may differ from the log; nil without one. No commit may be appended before
    /// `renew`.
    var suspicion: JournalFailure?
    /// The places of a copy in its log; nil before the first step of a copy.
    var places: LogPlaces?
    /// The answers of a copy that stand with their entries; nil before the first step of a copy.
    var entryAnswers: EntryAnswers?
    /// The number of the entry of the log that is being applied; nil outside of a copy.
    var entry: Int?
    /// The watch over the files; nil for the draft of an import.
    var files: FileWatch?
    private let mark: SyncMark?
    private var maintenancePlan = MaintenancePlan()
    /// True if the connection does not sync now, because it writes maintenance, which the sync of the next commit
    /// covers.
    private var isRelaxed = false
    private var nextSpace: Int
    /// The newest `seq`. No number is used twice, so that cursors stay valid.
    private(set) var newestSeq: Int
    private var newestRun: CommitBatch.Predecessor?
    private var room = CommitBatch.Room()
    private let begin: Statement
    private let commit: Statement
    private let findHead: Statement
    private let insertSpace: Statement
    private let insertRun: Statement
    private let insertAnswer: Statement
    private let insertWork: Statement
    private let removeWork: Statement
    private let insertAlarm: Statement
    private let removeAlarm: Statement
    /// Stores a row of a copy; nil before the first.
    private var putRow: Statement?

    init(
        _ connection: DatabaseConnection, _ durability: Durability, in folder: JournalDirectory? = nil
    ) throws(JournalFailure) {
        if let folder { files = FileWatch(folder) } else { files = nil }
        if let folder, durability == .commit { mark = try SyncMark(folder) } else { mark = nil }
        self.connection = connection
        self.durability = durability
        begin = try Statement(connection, "BEGIN IMMEDIATE")
        commit = try Statement(connection, "COMMIT")
        findHead = try Statement(connection, "SELECT \(JournalReader.head) FROM spaces WHERE name = ?1")
        insertSpace = try Statement(connection, "INSERT INTO spaces (id, name, sum) VALUES (?1, ?2, ?3)")
        insertRun = try Statement(
            connection,
            "INSERT INTO runs (space, \(CommitBatch.columns), seq) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")
        insertAnswer = try Statement(
            connection,
            "INSERT OR REPLACE INTO answers (space, \(AnswerRow.columns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
        insertWork = try Statement(connection, "INSERT INTO work VALUES (?1)")
        removeWork = try Statement(connection, "DELETE FROM work WHERE space = ?1")
        insertAlarm = try Statement(connection, "INSERT OR REPLACE INTO alarms (space, at, sum) VALUES (?1, ?2, ?3)")
        removeAlarm = try Statement(connection, "DELETE FROM alarms WHERE space = ?1")
        nextSpace = try EpochTable.lastSpace(on: connection) + 1
        newestRun = try EpochTable.newestRun(on: connection)
        newestSeq = try FeedRows.newestSeq(on: connection)
        hasForgotten = try connection.integer("SELECT count(*) FROM forgotten") > 0
        hasErased = try connection.integer("SELECT count(*) FROM meta WHERE name = '\(Self.erased)'") > 0
    }

    /// Appends the commits that are next in their spaces, all in one transaction.
    func append(_ commits: [CommitRecord]) throws(JournalFailure) -> [AppendResult] {
        try beginNews()
        return try finish { () throws(JournalFailure) in try insert(commits) }
    }

    /// Appends like `append`, but returns nil if another process writes now. Precondition: `durability != .commit`.
    func appendAtOnce(_ commits: [CommitRecord]) throws(JournalFailure) -> [AppendResult]? {
        assert(durability != .commit, "an append that is synced waits for the disk")
        guard !connection.isBlocked, try begin.beginAtOnce() else { return nil }
        return try finish { () throws(JournalFailure) in try insert(commits) }
    }

    /// Begins a transaction whose commit is synced as the durability requires.
    private func beginNews() throws(JournalFailure) {
        try sync(isNews: true)
        _ = try begin.step()
        connection.noteBegun()
    }

    /// Runs `body` in the transaction that has begun, and commits it.
    @inline(__always)
    private func finish<Result>(_ body: () throws(JournalFailure) -> Result) throws(JournalFailure) -> Result {
        let (newestBefore, seqBefore) = (newestRun, newestSeq)
        do {
            let result = try body()
            try commit.commit()
            try files?.lookAfterCommit()
            noteSync()
            return result
        } catch {
            connection.abandon()
            // The heads count commits that were rolled back.
            heads.removeAll()
            newestRun = newestBefore
            newestSeq = seqBefore
            throw error
        }
    }

    /// Inserts the commits that are next in their spaces, in the transaction of the caller.
    @inline(__always)
    private func insert(_ commits: [CommitRecord]) throws(JournalFailure) -> [AppendResult] {
        var entries = BatchEntries()
        var outcomes: [AppendResult] = []
        outcomes.reserveCapacity(commits.count)
        for record in commits {
            let place = try entries.place(of: record.space) { space throws(JournalFailure) in try head(of: space) }
            outcomes.append(try take(record, into: &entries[place]))
        }
        for entry in entries.all { try keep(entry) }
        if let number = entry, let entryAnswers {
            for entry in entries.all {
                guard let head = entry.head else { continue }
                try entryAnswers.store(entry.answered, space: head.id, entry: number)
            }
        }
        for entry in entries.all where entry.commits.contains(where: \.erases) { try erase(entry) }
        return outcomes
    }

    /// Erases the rows that the commits of an entry erase, and notes that their bytes are to be overwritten.
    private func erase(_ entry: BatchEntry) throws(JournalFailure) {
        guard let head = entry.head else { return }
        try connection.execute("PRAGMA secure_delete = ON")
        defer { try? connection.execute("PRAGMA secure_delete = FAST") }
        for row in entry.commits.flatMap(\.erasedRows) {
            var erasure = RowErasure(row, of: entry.space, head, connection)
            try erasure.run()
        }
        try connection.execute("INSERT OR REPLACE INTO meta VALUES ('\(Self.erased)', 1)")
        erasureCount += 1
        hasErased = true
    }

    /// Notes that the file has no bytes of erased rows.
    func noteScrubbed() throws(JournalFailure) {
        try connection.execute("DELETE FROM meta WHERE name = '\(Self.erased)'")
        hasErased = false
    }

    // MARK: Copies

    /// Runs the steps of a copy in one transaction.
    func together<Result>(_ body: () throws(JournalFailure) -> Result) throws(JournalFailure) -> Result {
        try beginNews()
        return try finish(body)
    }

    /// Appends commits in the transaction of the caller. Returns false if one is not the next of its space.
    func append(next commits: [CommitRecord]) throws(JournalFailure) -> Bool {
        try insert(commits).allSatisfy { $0 == .kept }
    }

    /// Deletes a space in the transaction of the caller. Returns false if it does not exist.
    func remove(_ space: SpaceName, _ lives: LifeTable, _ next: LifeTable) throws(JournalFailure) -> Bool {
        guard let head = try head(of: space) else { return false }
        try strike(space, head, lives, next)
        noteStruck(space)
        return true
    }

    /// Stores a row of a copy in the transaction of the caller.
    func put(_ row: CopyRow) throws(JournalFailure) {
        let statement: Statement
        if let known = putRow {
            statement = known
        } else {
            statement = try Statement(connection, "INSERT OR REPLACE INTO meta VALUES (?1, ?2)")
        }
        putRow = statement
        try statement.run(.text(CopyRows.prefix + row.name), .text(row.value))
    }

    /// Writes the sync mark.
    private func noteSync() {
        guard mark != nil else { return }
        // Without the index the mark stays at an older value, which is still a valid lower bound.
        try? connection.withLogIndex { index throws(JournalFailure) in mark?.note(index.extent) }
    }

    /// Writes and deletes a row as large as many commits. Throws if there is no room for it.
    func probe() throws(JournalFailure) {
        try connection.transaction { () throws(JournalFailure) in
            try connection.execute("INSERT OR REPLACE INTO meta VALUES ('room', zeroblob(\(Self.probeBytes)))")
        }
        try connection.execute("DELETE FROM meta WHERE name = 'room'")
    }

    /// Adds a commit to the entry of its space, if it is the next.
    private func take(_ record: CommitRecord, into entry: inout BatchEntry) throws(JournalFailure) -> AppendResult {
        let version = entry.head?.version ?? 0
        // A commit after a rejected one builds on it, even if its version fits. A commit without facts makes no
        // version.
        guard !entry.isRejected, record.version == version + (record.facts.isEmpty ? 0 : 1) else {
            entry.isRejected = true
            return .moved(to: version)
        }
        if record.facts.isEmpty {
            try keepAnswer(of: record, in: &entry)
            return .kept
        }
        if entry.head == nil { entry.head = try begin(record.space, at: 0) }
        entry.head?.version = record.version
        entry.commits.append(record)
        if record.hasKey { try keepAnswer(of: record, in: &entry) }
        return .kept
    }

    /// Writes the entry of a space.
    private func keep(_ entry: BatchEntry) throws(JournalFailure) {
        guard var head = entry.head, let last = entry.commits.last else { return }
        head.tailBytes += try CommitBatch.insert(
            entry.commits, space: head.id, by: insertRun, after: &newestRun, seq: &newestSeq, in: &room)
        if last.leavesWork != head.hasWork { try note(last.leavesWork, of: head.id) }
        head.hasWork = last.leavesWork
        let alarm = last.alarm.map { Int($0.microseconds) }
        if alarm != head.alarm { try note(alarm: alarm, of: head.id) }
        head.alarm = alarm
        heads[entry.space] = head
        maintenancePlan.noticeTime(last.at)
        noticeTail(of: entry.space, head)
    }

    /// Creates a space whose first commit is the one after `version`.
    func begin(_ space: SpaceName, at version: Int) throws(JournalFailure) -> SpaceHead {
        try insertSpace.run(
            .integer(nextSpace), .text(space.description), .integer(SpaceHead.sum(nextSpace, space.description)))
        let head = SpaceHead(id: nextSpace, version: version, snapshot: version, oldest: version, past: version)
        nextSpace += 1
        heads[space] = head
        return head
    }

    /// The head of a space; nil if there is none.
    func head(of space: SpaceName) throws(JournalFailure) -> SpaceHead? {
        if let head = heads[space] { return head }
        findHead.bind(.text(space.description))
        guard try findHead.step() else { return nil }
        defer { findHead.reset() }
        let head = JournalReader.head(in: findHead)
        heads[space] = head
        return head
    }

    /// Stores a commit that made the state in which a space begins.
    func keep(_ record: CommitRecord, space: Int) throws(JournalFailure) {
        _ = try CommitBatch.insert(
            [record], space: space, by: insertRun, after: &newestRun, seq: &newestSeq, in: &room)
    }

    private func noticeTail(of space: SpaceName, _ head: SpaceHead) {
        if head.version - head.snapshot >= Self.tailCommitsLimit || head.tailBytes >= Self.tailBytesLimit {
            maintenancePlan.add(space, id: head.id)
        }
    }

    /// True if there is work for the maintenance thread.
    var hasMaintenance: Bool {
        hasForgotten || hasErased || maintenancePlan.hasSpaces || maintenancePlan.isExpiryDue
            || maintenancePlan.isCheckpointDue(connection.pagesWritten)
            || maintenancePlan.isLogShort(connection.pagesWritten)
    }

    /// Calls `step` if the log is short, and returns true if so. `step` grows the log and returns its length, or nil if
    /// there is no room.
    func lengthenLog(_ step: () -> Int?) throws(JournalFailure) -> Bool {
        guard maintenancePlan.isLogShort(connection.pagesWritten) else { return false }
        // The transaction keeps other processes from writing to the log meanwhile.
        try connection.transaction { () throws(JournalFailure) in maintenancePlan.noticeLog(step()) }
        return true
    }

    /// Reads or changes the plan.
    func plan<Result>(_ body: (inout MaintenancePlan) -> Result) -> Result {
        body(&maintenancePlan)
    }

    /// Runs `body` in a transaction. If `isNews`, its commit is synced as the durability requires.
    func transaction<Result>(isNews: Bool, _ body: () throws(JournalFailure) -> Result) throws(JournalFailure) -> Result
    {
        try sync(isNews: isNews)
        let result = try connection.transaction("IMMEDIATE", body)
        if isNews { try files?.lookAfterCommit() }
        return result
    }

    private func sync(isNews: Bool) throws(JournalFailure) {
        guard durability == .commit, isNews == isRelaxed else { return }
        try connection.execute("PRAGMA synchronous = \(isNews ? "FULL" : "NORMAL")")
        isRelaxed = !isNews
    }

    /// Makes all appended commits durable again, if a sync has failed. Precondition: no checkpoint runs.
    func renew(_ log: borrowing LogFile) throws(JournalFailure) {
        guard suspicion != nil else { return }
        heads.removeAll()
        try connection.renew(log)
        suspicion = nil
    }

    /// Stores whether a space has work for effects.
    func note(_ hasWork: Bool, of space: Int) throws(JournalFailure) {
        try (hasWork ? insertWork : removeWork).run(.integer(space))
    }

    /// Stores the earliest alarm of a space.
    func note(alarm: Int?, of space: Int) throws(JournalFailure) {
        guard let alarm else { return try removeAlarm.run(.integer(space)) }
        try insertAlarm.run(.integer(space), .integer(alarm), .integer(SpaceHead.sum(ofAlarm: alarm, of: space)))
    }

    /// Stores the answer of a commit, or leaves it to the row of its entry of the log.
    private func keepAnswer(of record: CommitRecord, in part: inout BatchEntry) throws(JournalFailure) {
        guard let idempotency = record.idempotency, let head = part.head else { return }
        if let entry, record.result.isEmpty, NodeKey.isStored(idempotency.key, with: entry) {
            return part.answered.append(record)
        }
        let answer = StoredAnswer(
            fingerprint: idempotency.fingerprint, version: record.version, changed: record.changed,
            result: record.result)
        try keep(AnswerRow(key: idempotency.key, answer: answer, at: record.at), space: head.id)
    }

    /// Stores the answer to a key.
    func keep(_ answer: AnswerRow, space: Int) throws(JournalFailure) {
        try answer.insert(space: space, by: insertAnswer)
    }

    /// Deletes a space from the list at once. The maintenance thread deletes its rows later.
    func forget(_ space: SpaceName, _ lives: LifeTable, _ next: LifeTable) throws(JournalFailure) -> Bool {
        guard let head = try head(of: space) else { return false }
        try transaction(isNews: true) { () throws(JournalFailure) in
            try strike(space, head, lives, next)
        }
        noteStruck(space)
        return true
    }

    private func noteStruck(_ space: SpaceName) {
        newestSeq += 1
        heads[space] = nil
        hasForgotten = true
    }

    /// Deletes a space from the tables that list it.
    private func strike(
        _ space: SpaceName, _ head: SpaceHead, _ lives: LifeTable, _ next: LifeTable
    ) throws(JournalFailure) {
        try connection.execute(
            "INSERT INTO forgotten VALUES (\(head.id)); DELETE FROM spaces WHERE id = \(head.id); DELETE FROM work WHERE space = \(head.id); DELETE FROM alarms WHERE space = \(head.id)"
        )
        try EpochTable.note(next, after: lives, lastSpace: nextSpace - 1, on: connection)
        try FeedRows.noteDeletion(of: space, seq: newestSeq + 1, on: connection)
    }
}

/// The part of a batch that belongs to one space.
struct BatchEntry {
    let space: SpaceName
    /// The head of the space after these commits; nil if the space does not exist yet.
    var head: SpaceHead?
    /// The accepted commits.
    var commits: [CommitRecord] = []
    /// The commits whose answers stand with the entry of the log.
    var answered: [CommitRecord] = []
    /// True if a commit of the space was rejected.
    var isRejected = false
}

/// The parts of a batch, in the order of the first commit of each space.
struct BatchEntries {
    private(set) var all: [BatchEntry] = []
    private var places: [SpaceName: Int] = [:]
    private var latest = 0

    subscript(place: Int) -> BatchEntry {
        get { all[place] }
        _modify { yield &all[place] }
    }

    /// Returns the index of the entry of a space. A new entry gets its head from `head`.
    mutating func place(
        of space: SpaceName, _ head: (SpaceName) throws(JournalFailure) -> SpaceHead?
    ) throws(JournalFailure) -> Int {
        // Most commits are of the same space as the one before.
        if latest < all.count, all[latest].space == space { return latest }
        if let place = places[space] {
            latest = place
            return place
        }
        latest = all.count
        places[space] = latest
        all.append(BatchEntry(space: space, head: try head(space)))
        return latest
    }
}

/// The writes of a copy.
extension BatchWriter {
    /// Returns what `append` would return.
    func fits(_ commits: [CommitRecord]) throws(JournalFailure) -> [AppendResult] {
        var versions: [SpaceName: Int] = [:]
        var rejected: Set<SpaceName> = []
        var results: [AppendResult] = []
        for record in commits {
            let version: Int
            if let known = versions[record.space] {
                version = known
            } else {
                version = try head(of: record.space)?.version ?? 0
            }
            if !rejected.contains(record.space), record.version == version + (record.facts.isEmpty ? 0 : 1) {
                versions[record.space] = record.version
                results.append(.kept)
            } else {
                versions[record.space] = version
                rejected.insert(record.space)
                results.append(.moved(to: version))
            }
        }
        return results
    }

    /// Stores steps and rows in one transaction. Returns the lives after the deletions among the steps.
    func apply(_ steps: [CopyStep], rows: [CopyRow], _ lives: LifeTable) throws(JournalFailure) -> LifeTable {
        let places: LogPlaces
        if let known = self.places { places = known } else { places = try LogPlaces(connection) }
        self.places = places
        if entryAnswers == nil { entryAnswers = try EntryAnswers(connection) }
        defer { entry = nil }
        return try together { () throws(JournalFailure) in
            var lives = lives
            for step in steps {
                let seq = newestSeq
                switch step {
                case .commits(let commits, let place):
                    entry = place?.number
                    guard try append(next: commits) else {
                        throw JournalFailure(
                            .damaged, "the copy \(connection.path) does not fit the log of the cluster")
                    }
                    try places.note(place, after: seq, upTo: newestSeq)
                case .forget(let space, let place):
                    let next = lives.forgetting(space)
                    if try remove(space, lives, next) { lives = next }
                    try places.note(place, after: seq, upTo: newestSeq)
                }
            }
            for row in rows { try put(row) }
            return lives
        }
    }
}
