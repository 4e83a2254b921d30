internal import JSON
internal import StateStore

/// The reading connection, for one thread at a time. A transaction reads one consistent snapshot of the database.
final class JournalReader {
    /// A snapshot also advances if a load had to read more commits than this after it, so that the next load is fast.
    static let tailCommitsLimit = 64

    /// The version of a space, in SQL: its newest commit, or its snapshot if no commit is stored.
    static let version = "coalesce((SELECT max(last) FROM runs WHERE runs.space = spaces.id), snapshot)"

    /// The columns of a head, in SQL.
    static let head = """
        id, snapshot, oldest, \(version), EXISTS (SELECT 1 FROM work WHERE work.space = spaces.id), past,
        (SELECT at FROM alarms WHERE alarms.space = spaces.id)
        """

    /// The head in the current row of a statement.
    static func head(in row: Statement, from column: Int32 = 0) -> SpaceHead {
        SpaceHead(
            id: row.integer(column), version: row.integer(column + 3), snapshot: row.integer(column + 1),
            oldest: row.integer(column + 2), past: row.integer(column + 5),
            alarm: row.isNull(column + 6) ? nil : row.integer(column + 6),
            hasWork: row.integer(column + 4) != 0)
    }

    let connection: DatabaseConnection
    /// The bytes in memory that one space may have, by estimate.
    var spaceLimit = Int.max
    private let findSpace: Statement
    private let snapshot: Statement
    private let runs: Statement
    private let answers: Statement
    private let list: Statement
    private let withWork: Statement
    private let all: Statement
    private let allAnswers: Statement
    private let runWith: Statement
    let dueAlarms: Statement
    let withoutAlarm: Statement
    /// The rows of the past.
    let past: PastRows
    /// The rows of all spaces.
    let feed: FeedRows
    private let sizes: SizeRows

    init(_ connection: DatabaseConnection) throws(JournalFailure) {
        self.connection = connection
        findSpace = try Statement(connection, "SELECT \(Self.head) FROM spaces WHERE name = ?1")
        snapshot = try Statement(
            connection,
            "SELECT variable, entry, value, since, sum FROM state WHERE space = ?1 ORDER BY variable, entry")
        runs = try Statement(
            connection, "SELECT \(CommitBatch.columns) FROM runs WHERE space = ?1 AND last > ?2 ORDER BY last")
        answers = try Statement(
            connection,
            "SELECT \(AnswerRow.columns) FROM answers WHERE space = (SELECT id FROM spaces WHERE name = ?1) AND key = ?2 AND at >= ?3"
        )
        runWith = try Statement(
            connection,
            "SELECT \(CommitBatch.columns) FROM runs WHERE space = ?1 AND last >= ?2 ORDER BY last LIMIT 1")
        dueAlarms = try Statement(
            connection,
            """
            SELECT name, id, at, alarms.sum FROM alarms JOIN spaces ON id = space WHERE at <= ?1
            ORDER BY at, name
            """)
        withoutAlarm = try Statement(
            connection,
            """
            SELECT name FROM spaces WHERE name > ?1
            AND NOT EXISTS (SELECT 1 FROM alarms WHERE space = id AND at <= ?3) ORDER BY name LIMIT ?2
            """)
        past = try PastRows(connection)
        feed = try FeedRows(connection)
        sizes = try SizeRows(connection)
        all = try Statement(connection, "SELECT name, \(Self.head) FROM spaces ORDER BY name")
        allAnswers = try Statement(
            connection, "SELECT \(AnswerRow.columns) FROM answers WHERE space = ?1 ORDER BY seq")
        withWork = try Statement(
            connection,
            "SELECT name FROM spaces WHERE id IN (SELECT space FROM work) AND name > ?1 ORDER BY name LIMIT ?2")
        list = try Statement(
            connection, "SELECT name, \(Self.version) FROM spaces WHERE name > ?1 ORDER BY name LIMIT ?2")
    }

    /// The state of a space: its snapshot and the commits after it.
    func load(_ space: SpaceName) throws(JournalFailure) -> (space: StoredSpace, head: SpaceHead)? {
        try connection.transaction("DEFERRED") { () throws(JournalFailure) in try loadInTransaction(space) }
    }

    /// The estimated bytes in memory after which the other spaces of a request are left for a later one.
    private static let groupBytes = 8 << 20

    /// The states of several spaces, read in one transaction. A failure of one does not affect the others.
    func load(
        all spaces: [SpaceName]
    ) throws(JournalFailure) -> [Result<(space: StoredSpace, head: SpaceHead)?, JournalFailure>] {
        try connection.transaction("DEFERRED") { () throws(JournalFailure) in
            var bytes = 0
            return spaces.map { space in
                guard bytes < Self.groupBytes else { return .failure(JournalFailure(.notYet, "much was read")) }
                do throws(JournalFailure) {
                    let loaded = try loadInTransaction(space)
                    bytes += loaded.map { LoadedBytes.bytes(of: $0.space) } ?? 0
                    return .success(loaded)
                } catch {
                    return .failure(error)
                }
            }
        }
    }

    /// The state of a space, within a transaction of the caller.
    func loadInTransaction(
        _ space: SpaceName
    ) throws(JournalFailure) -> (space: StoredSpace, head: SpaceHead)? {
        guard let head = try head(of: space) else { return nil }
        var facts: [Fact] = []
        var loaded = LoadedBytes(limit: spaceLimit)
        try eachFact(of: space, id: head.id) { fact throws(JournalFailure) in
            try loaded.add(fact, of: space)
            facts.append(fact)
        }
        var net = SnapshotDelta()
        let version = try collect(space, after: head, into: &net)
        guard version == head.version else {
            throw .damaged(connection.path, "commits of the space \(space) after \(version) are missing")
        }
        return (StoredSpace(version: version, facts: try apply(net, to: facts, of: space)), head)
    }

    /// Adds the commits after a space's snapshot to a delta. Returns the version that it reached.
    private func collect(
        _ space: SpaceName, after head: SpaceHead, into net: inout SnapshotDelta
    ) throws(JournalFailure) -> Int {
        var version = head.snapshot
        try eachRun(of: space, id: head.id, after: version) { run throws(JournalFailure) in
            if let facts = try run.finalValues() {
                try add(facts, to: &net, of: space)
            } else {
                for commit in try run.commits() where commit.version > version {
                    try add(try run.facts(commit), to: &net, of: space)
                }
            }
            version = run.last
            return true
        }
        return version
    }

    /// Reads a step of a snapshot, up to about the limits. Returns the version that it reaches.
    func advance(
        _ space: SpaceName, after head: SpaceHead, factsLimit: Int, bytesLimit: Int
    ) throws(JournalFailure) -> (version: Int, step: SnapshotAdvance) {
        try read(
            space, id: head.id, after: head.snapshot, upTo: .max, SnapshotAdvance(), factsLimit, bytesLimit
        ) { variable, entry throws(JournalFailure) in
            try past.current(of: space, id: head.id, variable, entry)
        }
    }

    /// Reads a step from version 0 on, which continues `step`.
    func replay(
        _ space: SpaceName, id: Int, after start: Int, upTo end: Int, _ step: SnapshotAdvance, factsLimit: Int,
        bytesLimit: Int
    ) throws(JournalFailure) -> (version: Int, step: SnapshotAdvance) {
        try read(space, id: id, after: start, upTo: end, step, factsLimit, bytesLimit) { _, _ in [] }
    }

    private func read(
        _ space: SpaceName, id: Int, after start: Int, upTo end: Int, _ begun: SnapshotAdvance, _ factsLimit: Int,
        _ bytesLimit: Int, from source: SnapshotAdvance.Source
    ) throws(JournalFailure) -> (version: Int, step: SnapshotAdvance) {
        var step = begun
        var version = start
        var count = 0
        try eachRun(of: space, id: id, after: start) { run throws(JournalFailure) in
            for commit in try run.commits() where commit.version > version && commit.version <= end {
                let facts = try run.facts(commit)
                // A commit of many facts is a step of its own.
                guard version == start || facts.count <= factsLimit else { return false }
                if let problem = try step.add(facts, of: commit.version, from: source) {
                    throw entryless(space, problem)
                }
                version = commit.version
                count += max(1, facts.count)
                guard count < factsLimit, step.bytes < bytesLimit else { return false }
            }
            return version < end
        }
        return (version, step)
    }

    func add(_ facts: some Sequence<Fact>, to net: inout SnapshotDelta, of space: SpaceName) throws(JournalFailure) {
        do throws(JSONError) { try net.add(facts) } catch { throw entryless(space, error) }
    }

    /// Calls `body` with each batch of a space that has commits after a version, in order, until `body` returns false.
    /// Throws if there is a gap.
    func eachRun(
        of space: SpaceName, id: Int, after version: Int, _ body: (CommitBatch) throws(JournalFailure) -> Bool
    ) throws(JournalFailure) {
        var version = version
        runs.bind(.integer(id), .integer(version))
        defer { runs.reset() }
        while try runs.step() {
            let run = try CommitBatch(runs, of: space, at: connection.path)
            guard run.first <= version + 1 else {
                throw .damaged(
                    connection.path, "commits of the space \(space) between \(version) and \(run.first) are missing")
            }
            version = run.last
            guard try body(run) else { return }
        }
    }

    /// The batch with a version of a space; nil if it is not stored.
    func run(of space: SpaceName, id: Int, with version: Int) throws(JournalFailure) -> CommitBatch? {
        runWith.bind(.integer(id), .integer(version))
        guard try runWith.step() else { return nil }
        defer { runWith.reset() }
        let run = try CommitBatch(runWith, of: space, at: connection.path)
        return run.first <= version ? run : nil
    }

    func apply(_ net: SnapshotDelta, to facts: [Fact], of space: SpaceName) throws(JournalFailure) -> [Fact] {
        do { return try net.applied(to: facts) } catch { throw entryless(space, error) }
    }

    /// The failure of a variable that changes by entry although it is not an object.
    func entryless(_ space: SpaceName, _ error: JSONError) -> JournalFailure {
        .damaged(connection.path, "a variable of the space \(space) changes by entry but has none (\(error))")
    }

    /// Calls `body` with each fact of a space's snapshot, a whole value before its entries.
    func eachFact(of space: SpaceName, id: Int, _ body: (Fact) throws(JournalFailure) -> Void) throws(JournalFailure) {
        try eachRow(of: space, id: id) { row throws(JournalFailure) in try body(row.fact) }
    }

    /// Calls `body` with each row of a space's snapshot, a whole value before its entries.
    func eachRow(
        of space: SpaceName, id: Int, _ body: (StateRow) throws(JournalFailure) -> Void
    ) throws(JournalFailure) {
        snapshot.bind(.integer(id))
        defer { snapshot.reset() }
        while try snapshot.step() { try body(StateRow(snapshot, of: space, at: connection.path)) }
    }

    /// The commits of a space after a version. Commits older than the last `history` count as gone, even if their rows
    /// still exist.
    func read(_ space: SpaceName, after version: Int, limit: Int, history: Int) throws(JournalFailure) -> CommitHistory
    {
        try connection.transaction("DEFERRED") { () throws(JournalFailure) in
            guard let head = try head(of: space) else { return .commits([]) }
            let oldest = oldestCommit(head, history)
            guard version >= oldest else { return .gone(oldest: oldest) }
            var records: [CommitRecord] = []
            try eachCommit(of: space, id: head.id, after: version, limit: limit) { record throws(JournalFailure) in
                records.append(record)
            }
            return .commits(records)
        }
    }

    /// Calls `body` with the commits of a space after a version, in order, at most `limit` of them.
    func eachCommit(
        of space: SpaceName, id: Int, after version: Int, limit: Int = .max,
        _ body: (CommitRecord) throws(JournalFailure) -> Void
    ) throws(JournalFailure) {
        guard limit > 0 else { return }
        var left = limit
        try eachRun(of: space, id: id, after: version) { run throws(JournalFailure) in
            for commit in try run.commits() where commit.version > version {
                try body(try run.record(commit))
                left -= 1
                guard left > 0 else { return false }
            }
            return true
        }
    }

    func answer(_ space: SpaceName, key: String, since earliest: Timestamp) throws(JournalFailure) -> StoredAnswer? {
        answers.bind(.text(space.description), .text(key), .integer(Int(earliest.microseconds)))
        guard try answers.step() else {
            return try EntryAnswers.answer(to: key, of: space, since: earliest, on: connection)
        }
        defer { answers.reset() }
        return try AnswerRow(answers, of: space, at: connection.path).answer
    }

    /// Calls `body` with the answers of a space, those with rows of their own in chronological order.
    func eachAnswer(
        of space: SpaceName, id: Int, _ body: (AnswerRow) throws(JournalFailure) -> Void
    ) throws(JournalFailure) {
        allAnswers.bind(.integer(id))
        defer { allAnswers.reset() }
        while try allAnswers.step() { try body(AnswerRow(allAnswers, of: space, at: connection.path)) }
        try EntryAnswers.each(of: space, id: id, on: connection, body)
    }

    /// Calls `body` with each space, in the order of names.
    func eachSpace(_ body: (SpaceName, SpaceHead) throws(JournalFailure) -> Void) throws(JournalFailure) {
        defer { all.reset() }
        while try all.step() {
            guard let name = SpaceName(all.text(0)) else {
                throw .damaged(connection.path, "a space is named \(all.text(0))")
            }
            try body(name, Self.head(in: all, from: 1))
        }
    }

    func spaces(after name: SpaceName?, limit: Int) throws(JournalFailure) -> [(name: SpaceName, version: Int)] {
        var spaces: [(name: SpaceName, version: Int)] = []
        // No name is empty.
        list.bind(.text(name?.description ?? ""), .integer(limit))
        while try list.step() {
            guard let name = SpaceName(list.text(0)) else {
                list.reset()
                throw .damaged(connection.path, "a space is named \(list.text(0))")
            }
            spaces.append((name, list.integer(1)))
        }
        return spaces
    }

    /// The summary of a space; nil if there is none.
    func summary(of space: SpaceName) throws(JournalFailure) -> SpaceSummary? {
        try connection.transaction("DEFERRED") { () throws(JournalFailure) in
            guard let head = try head(of: space) else { return nil }
            let count = try sizes.count(of: head)
            let last = try commitHead(of: space, id: head.id, at: head.version)
            return SpaceSummary(version: head.version, at: last?.at, bytes: count.bytes, isWhole: !count.isFull)
        }
    }

    func spacesWithWork(after name: SpaceName?, limit: Int) throws(JournalFailure) -> [SpaceName] {
        var spaces: [SpaceName] = []
        withWork.bind(.text(name?.description ?? ""), .integer(limit))
        defer { withWork.reset() }
        while try withWork.step() {
            guard let name = SpaceName(withWork.text(0)) else {
                throw .damaged(connection.path, "a space is named \(withWork.text(0))")
            }
            spaces.append(name)
        }
        return spaces
    }

    /// The head of a space; nil if there is none.
    func head(of space: SpaceName) throws(JournalFailure) -> SpaceHead? {
        findSpace.bind(.text(space.description))
        guard try findSpace.step() else { return nil }
        defer { findSpace.reset() }
        return Self.head(in: findSpace)
    }
}

/// The sizes of the rows of a space, row by row. Only the rows of that space are read.
final class SizeRows {
    private let state: Statement
    private let tail: Statement

    init(_ connection: DatabaseConnection) throws(JournalFailure) {
        state = try Statement(
            connection,
            """
            SELECT length(CAST(variable AS BLOB)) + length(CAST(entry AS BLOB)) + length(CAST(value AS BLOB))
            FROM state WHERE space = ?1
            """)
        tail = try Statement(
            connection, "SELECT length(CAST(commits AS BLOB)) FROM runs WHERE space = ?1 AND last > ?2")
    }

    /// Counts the bytes of the snapshot of a space and of the commits after it, up to the limits of the count.
    func count(of head: SpaceHead) throws(JournalFailure) -> SpaceSummary.Count {
        var count = SpaceSummary.Count()
        state.bind(.integer(head.id))
        defer { state.reset() }
        while try state.step() {
            guard count.add(state.integer(0)) else { return count }
        }
        tail.bind(.integer(head.id), .integer(head.snapshot))
        defer { tail.reset() }
        while try tail.step() {
            guard count.add(tail.integer(0)) else { return count }
        }
        return count
    }
}
