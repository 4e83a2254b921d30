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

    init(_ writer: BatchWriter, history: Int) throws(JournalFailure) {
        self.writer = writer
        self.history = history
        let connection = writer.connection
        snapshots = try SnapshotRows(connection)
        moveSnapshot = try Statement(
            connection, "UPDATE spaces SET snapshot = ?2, past = ?2, oldest = ?3, sum = ?4 WHERE id = ?1")
        removeRuns = try Statement(connection, "DELETE FROM runs WHERE space = ?1 AND last <= ?2")
        removeAnswers = try Statement(
            connection,
            """
            DELETE FROM answers WHERE seq IN
                (SELECT seq FROM (SELECT seq, at FROM answers ORDER BY seq LIMIT \(Self.rowsLimit)) WHERE at < ?1)
            """)
    }

    /// Advances a snapshot from `head` to `version`, and deletes commits that the snapshot covers and that exceed the
    /// history. Returns true if more such commits remain, or nil if the snapshot has moved meanwhile.
    func advance(
        _ space: SpaceName, from head: SpaceHead, to version: Int, by net: SnapshotDelta
    ) throws(JournalFailure) -> Bool? {
        guard var now = try writer.head(of: space), now.id == head.id, now.snapshot == head.snapshot else { return nil }
        let end = max(now.oldest, min(version, now.version - history))
        let oldest = min(end, now.oldest + Self.rowsLimit)
        try writer.transaction(isNews: false) { () throws(JournalFailure) in
            try snapshots.apply(net, to: now.id)
            if oldest > now.oldest { try removeRuns.run(.integer(now.id), .integer(oldest)) }
            try moveSnapshot.run(
                .integer(now.id), .integer(version), .integer(oldest),
                .integer(SpaceHead.sum(now.id, space.description)))
        }
        now.snapshot = version
        now.past = version
        now.oldest = oldest
        now.tailBytes = 0
        writer.heads[space] = now
        return oldest < end
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
            return writer.connection.changes > 0
        }
    }

    /// Deletes rows of a deleted space and overwrites their bytes. Returns true if there may be more.
    func clear() throws(JournalFailure) -> Bool {
        guard writer.hasForgotten else { return false }
        let connection = writer.connection
        try connection.execute("PRAGMA secure_delete = ON")
        let hasMore = try removeForgotten(connection)
        try connection.execute("PRAGMA secure_delete = OFF")
        return hasMore
    }

    private func removeForgotten(_ connection: DatabaseConnection) throws(JournalFailure) -> Bool {
        try writer.transaction(isNews: false) { () throws(JournalFailure) in
            let space = try connection.integer("SELECT space FROM forgotten LIMIT 1")
            guard space != 0 else {
                writer.hasForgotten = false
                return false
            }
            var removed = 0
            for (table, keys) in [("runs", "seq"), ("answers", "seq"), ("state", "variable, entry")] {
                try connection.execute(
                    """
                    DELETE FROM \(table) WHERE space = \(space) AND (\(keys)) IN
                        (SELECT \(keys) FROM \(table) WHERE space = \(space) LIMIT \(Self.rowsLimit))
                    """)
                removed += connection.changes
            }
            if removed == 0 { try connection.execute("DELETE FROM forgotten WHERE space = \(space)") }
            return true
        }
    }
}
