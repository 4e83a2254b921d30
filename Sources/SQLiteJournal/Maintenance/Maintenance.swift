internal import StateStore

/// The maintenance of the tables, in steps so small that an append hardly waits for one. A step is not synced itself;
/// the sync of the next commit covers it.
final class Maintenance {
    /// The maximum number of rows that one step deletes.
    static let rowsLimit = 512

    let writer: BatchWriter
    private let history: Int
    private let snapshots: SnapshotRows
    private let moveSnapshot: Statement
    private let removeRuns: Statement
    private let removeAnswers: Statement
    private let findRun: Statement
    private let noteDrop: Statement
    private let removeDrops: Statement

    init(_ writer: BatchWriter, history: Int) throws(JournalFailure) {
        self.writer = writer
        self.history = history
        let connection = writer.connection
        snapshots = try SnapshotRows(connection)
        moveSnapshot = try Statement(
            connection, "UPDATE spaces SET snapshot = ?2, oldest = ?3, sum = ?4 WHERE id = ?1")
        removeRuns = try Statement(connection, "DELETE FROM runs WHERE space = ?1 AND last < ?2")
        findRun = try Statement(
            connection, "SELECT seq, first FROM runs WHERE space = ?1 AND last >= ?2 ORDER BY last LIMIT 1")
        noteDrop = try Statement(
            connection,
            """
            INSERT INTO drops (seq, place) VALUES (?1, ?2)
            ON CONFLICT (seq) DO UPDATE SET place = max(place, excluded.place)
            """)
        removeDrops = try Statement(connection, "DELETE FROM drops WHERE seq < ?1 AND place <= ?2")
        removeAnswers = try Statement(
            connection,
            """
            DELETE FROM answers WHERE seq IN
                (SELECT seq FROM (SELECT seq, at FROM answers ORDER BY seq LIMIT \(Self.rowsLimit)) WHERE at < ?1)
            """)
    }

    /// Advances a snapshot from `head` to `version`, and deletes commits that the snapshot covers and that exceed the
    /// history. The newest of these stays, because it made the oldest state that can be read. Returns true if more
    /// rows are to be deleted, or nil if the snapshot has moved meanwhile.
    func advance(
        _ space: SpaceName, from head: SpaceHead, to version: Int, by step: SnapshotAdvance
    ) throws(JournalFailure) -> Bool? {
        guard var now = try writer.head(of: space), now.id == head.id, now.snapshot == head.snapshot else { return nil }
        let end = max(now.oldest, min(version, now.version - history))
        let oldest = min(end, now.oldest + Self.rowsLimit)
        let hasMore = try writer.transaction(isNews: false) { () throws(JournalFailure) in
            try snapshots.apply(step, to: now.id)
            if oldest > now.oldest {
                try noteDrop(of: now.id, upTo: oldest)
                try removeRuns.run(.integer(now.id), .integer(oldest))
                try snapshots.trimTouches(now.id, upTo: oldest)
            }
            try moveSnapshot.run(
                .integer(now.id), .integer(version), .integer(oldest),
                .integer(SpaceHead.sum(now.id, space.description)))
            guard oldest > 0 else { return false }
            return try snapshots.trim(now.id, upTo: oldest)
        }
        now.snapshot = version
        now.oldest = oldest
        now.tailBytes = 0
        writer.heads[space] = now
        return hasMore || oldest < end
    }

    /// Writes a part of the rows of the commit after the snapshot of a space. Returns false if the snapshot has moved
    /// meanwhile.
    func write(
        _ part: SnapshotAdvance.RowPart, of space: SpaceName, from head: SpaceHead
    ) throws(JournalFailure) -> Bool {
        guard let now = try writer.head(of: space), now.id == head.id, now.snapshot == head.snapshot else {
            return false
        }
        try writer.transaction(isNews: false) { () throws(JournalFailure) in try snapshots.apply(part, to: now.id) }
        return true
    }

    /// Writes a part of the past of a space whose snapshot an older program has made. At the end, its rows get the
    /// versions that set them, and the past begins with version 0.
    func writePast(of space: SpaceName, id: Int, _ step: SnapshotAdvance, isEnd: Bool) throws(JournalFailure) {
        guard var now = try writer.head(of: space), now.id == id, now.oldest == 0, now.past > 0,
            now.snapshot == now.past
        else { return }
        try writer.transaction(isNews: false) { () throws(JournalFailure) in
            guard isEnd else { return try snapshots.applyPast(step, to: id) }
            try writer.connection.execute("DELETE FROM state WHERE space = \(id)")
            try snapshots.apply(step, to: id)
            try writer.connection.execute("UPDATE spaces SET past = 0 WHERE id = \(id)")
        }
        if isEnd { now.past = 0 }
        writer.heads[space] = now
    }

    /// Stores for the readers of all spaces that the commits of a space up to `version` are dropped since the commit
    /// that exceeded the history.
    private func noteDrop(of space: Int, upTo version: Int) throws(JournalFailure) {
        guard let dropped = try run(of: space, with: version),
            let cause = try run(of: space, with: version + history)
        else { return }
        let place = dropped.seq * FeedRows.placesPerRun + version - dropped.first + 1
        try noteDrop.run(.integer(cause.seq), .integer(place))
        try removeDrops.run(.integer(cause.seq), .integer(place))
    }

    private func run(of space: Int, with version: Int) throws(JournalFailure) -> (seq: Int, first: Int)? {
        findRun.bind(.integer(space), .integer(version))
        guard try findRun.step() else { return nil }
        defer { findRun.reset() }
        return (findRun.integer(0), findRun.integer(1))
    }

    /// Deletes answers that have expired. Returns true if there may be more.
    func expire() throws(JournalFailure) -> Bool {
        guard let time = writer.plan({ $0.expiry }) else { return false }
        let hasMore = try expire(before: time)
        if !hasMore { writer.plan { $0.expired() } }
        return hasMore
    }

    private func expire(before time: Timestamp) throws(JournalFailure) -> Bool {
        try writer.transaction(isNews: false) { () throws(JournalFailure) in
            try removeAnswers.run(.integer(Int(time.microseconds)))
            let hasMore = writer.connection.changes > 0
            return try writer.entryAnswers?.expire(before: time, writer.connection) ?? false || hasMore
        }
    }

    /// Deletes rows of a deleted space and overwrites their bytes. Returns true if there may be more.
    func clear() throws(JournalFailure) -> Bool {
        guard writer.hasForgotten else { return false }
        let connection = writer.connection
        try connection.execute("PRAGMA secure_delete = ON")
        defer { try? connection.execute("PRAGMA secure_delete = FAST") }
        do throws(JournalFailure) {
            return try removeForgotten(connection)
        } catch  where error.kind == .damaged {
            // The rows lie on damaged pages. The other maintenance goes on, and the next start tries again.
            writer.hasForgotten = false
            return false
        }
    }

    private func removeForgotten(_ connection: DatabaseConnection) throws(JournalFailure) -> Bool {
        try writer.transaction(isNews: false) { () throws(JournalFailure) in
            let space = try connection.integer("SELECT space FROM forgotten LIMIT 1")
            guard space != 0 else {
                writer.hasForgotten = false
                return false
            }
            var removed = 0
            for (table, keys) in [
                ("runs", "seq"), ("answers", "seq"), ("state", "variable, entry"),
                ("past", "variable, entry, until"), ("touches", "variable, version"),
            ] + (try EntryAnswers.exist(on: connection) ? [("entry_answers", "seq")] : []) {
                try connection.execute(
                    """
                    DELETE FROM \(table) WHERE space = \(space) AND (\(keys)) IN
                        (SELECT \(keys) FROM \(table) WHERE space = \(space) LIMIT \(Self.rowsLimit))
                    """)
                removed += connection.changes
            }
            if removed == 0 {
                try connection.execute("DELETE FROM forgotten WHERE space = \(space)")
                try FeedRows.trimDeletions(on: connection)
            }
            return true
        }
    }
}
