internal import StateStore

/// The reads of the commits of all spaces, in the order of `seq`.
final class FeedRows {
    /// The number of places that a run takes. It has fewer commits.
    static let placesPerRun = 4_096
    /// The bytes of commits after which one read ends.
    private static let bytesLimit = 1_024 * 1_024
    /// The maximum number of runs of one read.
    private static let runsLimit = 4_096

    private let connection: DatabaseConnection
    private let runs: Statement
    private let deletions: Statement
    private let missed: Statement
    private let newestSeq: Statement
    private let oldest: Statement
    private let atBegin: Statement

    private static let newestSeqText = """
        SELECT max((SELECT ifnull(max(seq), 0) FROM runs), (SELECT ifnull(max(seq), 0) FROM deletions),
            (SELECT ifnull(max(seq), 0) FROM drops), (SELECT ifnull(max(value), 0) FROM meta WHERE name = 'last seq'))
        """

    init(_ connection: DatabaseConnection) throws(JournalFailure) {
        self.connection = connection
        runs = try Statement(
            connection,
            """
            SELECT \(CommitBatch.columns), seq, space, (SELECT name FROM spaces WHERE id = runs.space) FROM runs
            WHERE seq >= ?1 ORDER BY seq
            """)
        deletions = try Statement(
            connection, "SELECT seq, space, sum FROM deletions WHERE seq > ?1 ORDER BY seq LIMIT ?2")
        missed = try Statement(connection, "SELECT 1 FROM drops WHERE seq > ?1 AND place > ?2 LIMIT 1")
        newestSeq = try Statement(connection, Self.newestSeqText)
        oldest = try Statement(
            connection, "SELECT oldest, (SELECT max(last) FROM runs WHERE space = ?1) FROM spaces WHERE id = ?1")
        atBegin = try Statement(
            connection, "SELECT last FROM runs WHERE space = ?1 AND seq <= ?2 ORDER BY last DESC LIMIT 1")
    }

    /// The newest `seq` that was ever used.
    static func newestSeq(on connection: DatabaseConnection) throws(JournalFailure) -> Int {
        try connection.integer(newestSeqText)
    }

    /// Stores the deletion of a space, in the transaction of the caller.
    static func noteDeletion(
        of space: SpaceName, seq: Int, on connection: DatabaseConnection
    ) throws(JournalFailure) {
        let insert = try Statement(connection, "INSERT INTO deletions (seq, space, sum) VALUES (?1, ?2, ?3)")
        try insert.run(
            .integer(seq), .text(space.description), .integer(SpaceHead.sum(seq, space.description)))
    }

    /// Stores the length of the history. If it was longer before, readers of all spaces that have not seen every commit
    /// may miss some, and begin anew.
    static func noteHistory(_ history: Int, on connection: DatabaseConnection) throws(JournalFailure) {
        let last = try connection.integer("SELECT ifnull(max(value), -1) FROM meta WHERE name = 'history'")
        guard last != history else { return }
        let newest = try newestSeq(on: connection)
        try connection.transaction { () throws(JournalFailure) in
            if last > history {
                let place = newest * placesPerRun + placesPerRun - 1
                try connection.execute("INSERT INTO drops (seq, place) VALUES (\(newest + 1), \(place))")
            }
            try connection.execute("INSERT OR REPLACE INTO meta VALUES ('history', \(history))")
        }
    }

    /// Removes the oldest deletions beyond the limit, in the transaction of the caller.
    static func trimDeletions(on connection: DatabaseConnection) throws(JournalFailure) {
        let end = try connection.integer(
            "SELECT seq FROM deletions ORDER BY seq DESC LIMIT 1 OFFSET \(LifeTable.limit)")
        guard end > 0 else { return }
        try connection.execute(
            """
            INSERT INTO drops (seq, place) SELECT max(seq), \(end * placesPerRun + 1) FROM deletions WHERE true
            ON CONFLICT (seq) DO UPDATE SET place = max(place, excluded.place);
            DELETE FROM deletions WHERE seq <= \(end);
            """)
    }

    /// Reads commits and deletions after a cursor. Precondition: a transaction is open.
    func read(after cursor: JournalCursor?, limit: Int, history: Int) throws(JournalFailure) -> AllCommits {
        let newest = try newestSeqNow()
        let cursor = cursor ?? JournalCursor(place: 0, begun: newest)
        let start = cursor.place / Self.placesPerRun
        guard !cursor.isForeign, start <= newest, cursor.begun <= newest, try !hasMissed(cursor) else {
            return .gone(oldest: begin(newest))
        }
        var found = Found(cursor, limit: limit)
        var deletions = try deletions(after: cursor.place, limit: limit)[...]
        var known: [Int: Retention] = [:]
        var (bytes, count) = (0, 0)
        runs.bind(.integer(start))
        defer { runs.reset() }
        while try runs.step() {
            let (seq, id) = (runs.integer(7), runs.integer(8))
            while let deletion = deletions.first, deletion.seq < seq, !found.isFull {
                found.add(deletion.seq * Self.placesPerRun + 1, .forgotten(deletion.space))
                deletions.removeFirst()
            }
            if found.isFull || bytes > Self.bytesLimit || count == Self.runsLimit { return found.rows(isWhole: false) }
            count += 1
            // The maintenance has not erased the runs of a deleted space yet.
            guard !runs.isNull(9), let name = SpaceName(runs.text(9)) else {
                found.pass(seq * Self.placesPerRun + Self.placesPerRun - 1)
                continue
            }
            let run: CommitBatch
            let commits: [CommitText]
            do throws(JournalFailure) {
                run = try CommitBatch(runs, of: name, at: connection.path)
                commits = try run.commits()
            } catch {
                // Damage of one space keeps nobody from the commits of others.
                guard error.kind == .damaged else { throw error }
                let place = seq * Self.placesPerRun + Self.placesPerRun - 1
                if place > cursor.place { found.add(place, .damaged(name)) }
                continue
            }
            bytes += run.size
            let retention: Retention
            if let found = known[id] { retention = found } else { retention = try self.retention(of: id, history) }
            known[id] = retention
            for (index, commit) in commits.enumerated() {
                let place = seq * Self.placesPerRun + index + 1
                guard place > cursor.place else { continue }
                if commit.version <= retention.dropped {
                    if commit.version > retention.oldest,
                        try commit.version > version(of: id, upTo: cursor.begun) - history
                    {
                        return found.isEmpty ? .gone(oldest: begin(newest)) : found.rows(isWhole: false)
                    }
                    found.pass(place)
                    continue
                }
                guard !found.isFull else { return found.rows(isWhole: false) }
                found.add(place, .commit(try run.record(commit)))
            }
        }
        for deletion in deletions {
            guard !found.isFull else { return found.rows(isWhole: false) }
            found.add(deletion.seq * Self.placesPerRun + 1, .forgotten(deletion.space))
        }
        return found.rows(isWhole: deletions.count < limit)
    }

    /// The commits of a space that are dropped: up to `oldest` from the table, up to `dropped` by the history.
    private struct Retention {
        let oldest: Int
        let dropped: Int
    }

    /// The rows of one read.
    private struct Found {
        private let cursor: JournalCursor
        private let limit: Int
        private var rows: [AllCommits.Row] = []
        private var end: Int

        init(_ cursor: JournalCursor, limit: Int) {
            self.cursor = cursor
            self.limit = limit
            end = cursor.place
        }

        var isEmpty: Bool { rows.isEmpty }
        var isFull: Bool { rows.count >= limit }

        mutating func add(_ place: Int, _ event: AllCommits.JournalEvent) {
            rows.append(AllCommits.Row(cursor: JournalCursor(place: place, begun: cursor.begun), event: event))
            pass(place)
        }

        mutating func pass(_ place: Int) {
            end = max(end, place)
        }

        func rows(isWhole: Bool) -> AllCommits {
            .rows(rows, end: JournalCursor(place: end, begun: cursor.begun), isWhole: isWhole)
        }
    }

    private func begin(_ newest: Int) -> JournalCursor { JournalCursor(place: 0, begun: newest) }

    private func newestSeqNow() throws(JournalFailure) -> Int {
        guard try newestSeq.step() else { return 0 }
        defer { newestSeq.reset() }
        return newestSeq.integer(0)
    }

    private func hasMissed(_ cursor: JournalCursor) throws(JournalFailure) -> Bool {
        missed.bind(.integer(cursor.begun), .integer(cursor.place))
        defer { missed.reset() }
        return try missed.step()
    }

    private func deletions(
        after place: Int, limit: Int
    ) throws(JournalFailure) -> [(seq: Int, space: SpaceName)] {
        var rows: [(seq: Int, space: SpaceName)] = []
        // A cursor after a deletion is at place 1 of its seq.
        deletions.bind(.integer((place - 1) / Self.placesPerRun), .integer(limit))
        defer { deletions.reset() }
        while try deletions.step() {
            let (seq, text) = (deletions.integer(0), deletions.text(1))
            guard seq * Self.placesPerRun + 1 > place else { continue }
            guard let space = SpaceName(text), deletions.isNull(2) || deletions.integer(2) == SpaceHead.sum(seq, text)
            else {
                throw .damaged(connection.path, "the deletion of the space \(text) is not as it was written")
            }
            rows.append((seq, space))
        }
        return rows
    }

    private func retention(of space: Int, _ history: Int) throws(JournalFailure) -> Retention {
        oldest.bind(.integer(space))
        defer { oldest.reset() }
        guard try oldest.step() else { return Retention(oldest: 0, dropped: 0) }
        return Retention(
            oldest: oldest.integer(0), dropped: max(oldest.integer(0), oldest.integer(1) - history))
    }

    /// The version of a space when the newest seq was `seq`.
    private func version(of space: Int, upTo seq: Int) throws(JournalFailure) -> Int {
        atBegin.bind(.integer(space), .integer(seq))
        defer { atBegin.reset() }
        return try atBegin.step() ? atBegin.integer(0) : 0
    }
}

extension JournalReader {
    /// Reads commits and deletions of all spaces after a cursor.
    func readAll(after cursor: JournalCursor?, limit: Int, history: Int) throws(JournalFailure) -> AllCommits {
        try connection.transaction("DEFERRED") { () throws(JournalFailure) in
            try feed.read(after: cursor, limit: max(1, limit), history: history)
        }
    }
}
