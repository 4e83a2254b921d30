internal import StateStore

/// The connection that writes. One thread at a time has it.
final class Writer {
    /// A snapshot is brought forward when this many commits, or this many bytes, have come after it: seldom enough for appends not to feel it.
    static let tailCommitsLimit = 1_024
    static let tailBytesLimit = 1_024 * 1_024
    /// How much room there must be for it to be said that there is some.
    static let probeBytes = 64 * 1_024

    let connection: Connection
    let durability: Durability
    var heads = Heads()
    /// Whether rows of forgotten spaces are left.
    var hasForgotten: Bool
    /// The failure since which the disk may not hold what the log says; nil if all is well. Nothing may be appended before `renew`.
    var suspicion: JournalFailure?
    /// The files, where others than this process know them.
    var files: FileWatch?
    private let mark: SyncMark?
    private var agenda = Agenda()
    /// Whether what is written may wait for the next commit to be synced.
    private var isRelaxed = false
    private var nextSpace: Int
    private var room = Run.Room()
    private let begin: Statement
    private let commit: Statement
    private let findHead: Statement
    private let insertSpace: Statement
    private let insertRun: Statement
    private let insertAnswer: Statement
    private let insertWork: Statement
    private let removeWork: Statement

    init(_ connection: Connection, _ durability: Durability, in home: Home? = nil) throws(JournalFailure) {
        files = home.map { FileWatch($0) }
        if let home, durability == .commit { mark = try SyncMark(home) } else { mark = nil }
        self.connection = connection
        self.durability = durability
        begin = try Statement(connection, "BEGIN IMMEDIATE")
        commit = try Statement(connection, "COMMIT")
        findHead = try Statement(connection, "SELECT \(Reader.head) FROM spaces WHERE name = ?1")
        insertSpace = try Statement(connection, "INSERT INTO spaces (id, name) VALUES (?1, ?2)")
        insertRun = try Statement(connection, "INSERT INTO runs (space, \(Run.columns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
        insertAnswer = try Statement(
            connection, "INSERT OR REPLACE INTO answers (space, \(AnswerRow.columns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
        insertWork = try Statement(connection, "INSERT INTO work VALUES (?1)")
        removeWork = try Statement(connection, "DELETE FROM work WHERE space = ?1")
        // Numbers of forgotten spaces are not given again while rows of theirs are left.
        nextSpace = try connection.integer(
            "SELECT 1 + max((SELECT ifnull(max(id), 0) FROM spaces), (SELECT ifnull(max(space), 0) FROM forgotten))")
        hasForgotten = try connection.integer("SELECT count(*) FROM forgotten") > 0
    }

    /// Keeps the commits that are next in their spaces, all in one transaction.
    func append(_ commits: [CommitRecord]) throws(JournalFailure) -> [AppendResult] {
        do {
            try sync(isNews: true)
            _ = try begin.step()
            connection.noteBegun()
            var shares = Shares()
            var outcomes: [AppendResult] = []
            outcomes.reserveCapacity(commits.count)
            for record in commits {
                let place = try shares.place(of: record.space) { space throws(JournalFailure) in try head(of: space) }
                outcomes.append(try take(record, into: &shares[place]))
            }
            for share in shares.all { try keep(share) }
            try commit.commit()
            noteSync()
            return outcomes
        } catch {
            connection.abandon()
            // They count what was not kept.
            heads.removeAll()
            throw error
        }
    }

    /// Notes how much of the log is on the disk.
    private func noteSync() {
        guard mark != nil else { return }
        // Without the index the note stays older, which is true as well.
        try? connection.withLogIndex { index throws(JournalFailure) in mark?.note(index.extent) }
    }

    /// Writes something that means nothing and is as large as many commits, and takes it away again, to see whether there is room.
    func probe() throws(JournalFailure) {
        try connection.transaction { () throws(JournalFailure) in
            try connection.execute("INSERT OR REPLACE INTO meta VALUES ('room', zeroblob(\(Self.probeBytes)))")
        }
        try connection.execute("DELETE FROM meta WHERE name = 'room'")
    }

    /// Adds a commit to what its space has in a batch, if it is the next.
    private func take(_ record: CommitRecord, into share: inout Share) throws(JournalFailure) -> AppendResult {
        let version = share.head?.version ?? 0
        // What comes after a commit that was not kept was built on it, even if its number fits. Without facts it makes no version.
        guard !share.isBroken, record.version == version + (record.facts.isEmpty ? 0 : 1) else {
            share.isBroken = true
            return .moved(to: version)
        }
        if record.facts.isEmpty {
            if let head = share.head { try keepAnswer(of: record, space: head.id) }
            return .kept
        }
        if share.head == nil { share.head = try begin(record.space, at: 0) }
        share.head?.version = record.version
        share.commits.append(record)
        if record.hasKey, let head = share.head { try keepAnswer(of: record, space: head.id) }
        return .kept
    }

    /// Writes what a space has in a batch.
    private func keep(_ share: Share) throws(JournalFailure) {
        guard var head = share.head, let last = share.commits.last else { return }
        head.tailBytes += try Run.insert(share.commits, space: head.id, by: insertRun, in: &room)
        if last.leavesWork != head.hasWork { try note(last.leavesWork, of: head.id) }
        head.hasWork = last.leavesWork
        heads[share.space] = head
        agenda.noticeTime(last.at)
        noticeTail(of: share.space, head)
    }

    /// Begins a space whose first commit is the one after `version`.
    func begin(_ space: SpaceName, at version: Int) throws(JournalFailure) -> Head {
        try insertSpace.run(.integer(nextSpace), .text(space.description))
        let head = Head(id: nextSpace, version: version, snapshot: version, oldest: version)
        nextSpace += 1
        heads[space] = head
        return head
    }

    /// The head of a space, nil where nothing is kept of it.
    func head(of space: SpaceName) throws(JournalFailure) -> Head? {
        if let head = heads[space] { return head }
        findHead.bind(.text(space.description))
        guard try findHead.step() else { return nil }
        defer { findHead.reset() }
        let head = Reader.head(in: findHead)
        heads[space] = head
        return head
    }

    private func noticeTail(of space: SpaceName, _ head: Head) {
        if head.version - head.snapshot >= Self.tailCommitsLimit || head.tailBytes >= Self.tailBytesLimit {
            agenda.add(space, id: head.id)
        }
    }

    /// Whether something is to be done behind the appends.
    var hasChores: Bool {
        hasForgotten || agenda.hasSpaces || agenda.isExpiryDue || agenda.isCheckpointDue(connection.pagesWritten)
            || agenda.isLogShort(connection.pagesWritten)
    }

    /// Has the log made longer by a step if it is short; whether it was. `step` gives its length then, nil where there is no room.
    func lengthenLog(_ step: () -> Int?) throws(JournalFailure) -> Bool {
        guard agenda.isLogShort(connection.pagesWritten) else { return false }
        // In a transaction, so that nobody else writes to it either, whoever has a shell on it.
        try connection.transaction { () throws(JournalFailure) in agenda.noticeLog(step()) }
        return true
    }

    /// Changes what is due behind the appends.
    func plan<Result>(_ body: (inout Agenda) -> Result) -> Result {
        body(&agenda)
    }

    /// Writes all or nothing, synced as configured if it is news.
    func transaction<Result>(isNews: Bool, _ body: () throws(JournalFailure) -> Result) throws(JournalFailure) -> Result {
        try sync(isNews: isNews)
        return try connection.transaction("IMMEDIATE", body)
    }

    private func sync(isNews: Bool) throws(JournalFailure) {
        guard durability == .commit, isNews == isRelaxed else { return }
        try connection.execute("PRAGMA synchronous = \(isNews ? "FULL" : "NORMAL")")
        isRelaxed = !isNews
    }

    /// Has the disk hold all that was appended, if that is in doubt. No checkpoint may be under way.
    func renew(_ log: borrowing LogFile) throws(JournalFailure) {
        guard suspicion != nil else { return }
        heads.removeAll()
        try connection.renew(log)
        suspicion = nil
    }

    /// Keeps whether a space has work.
    func note(_ hasWork: Bool, of space: Int) throws(JournalFailure) {
        try (hasWork ? insertWork : removeWork).run(.integer(space))
    }

    private func keepAnswer(of record: CommitRecord, space: Int) throws(JournalFailure) {
        guard let idempotency = record.idempotency else { return }
        let answer = StoredAnswer(fingerprint: idempotency.fingerprint, version: record.version, changed: record.changed)
        try keep(AnswerRow(key: idempotency.key, answer: answer, at: record.at), space: space)
    }

    /// Keeps what was answered to a key.
    func keep(_ answer: AnswerRow, space: Int) throws(JournalFailure) {
        try answer.insert(space: space, by: insertAnswer)
    }

    /// Forgets a space: at once for everybody, its rows in the background.
    func forget(_ space: SpaceName, _ lives: LifeTable, _ next: LifeTable) throws(JournalFailure) -> Bool {
        guard let head = try head(of: space) else { return false }
        try transaction(isNews: true) { () throws(JournalFailure) in
            try connection.execute(
                "INSERT INTO forgotten VALUES (\(head.id)); DELETE FROM spaces WHERE id = \(head.id); DELETE FROM work WHERE space = \(head.id)"
            )
            try Register.note(next, after: lives, on: connection)
        }
        heads[space] = nil
        hasForgotten = true
        return true
    }
}
