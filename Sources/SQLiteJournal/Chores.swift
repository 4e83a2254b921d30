internal import StateStore

/// What is to be done to the tables from time to time, in steps so small that an append hardly waits for one. Nothing of it is news: it need
/// not be on disk before the next commit is, which makes it so.
final class Chores {
    /// The most rows that a step removes.
    static let rowsLimit = 512

    private let writer: Writer
    private let history: Int
    private let snapshots: Snapshots
    private let moveSnapshot: Statement
    private let removeRuns: Statement
    private let removeAnswers: Statement

    init(_ writer: Writer, history: Int) throws(JournalFailure) {
        self.writer = writer
        self.history = history
        let connection = writer.connection
        snapshots = try Snapshots(connection)
        moveSnapshot = try Statement(connection, "UPDATE spaces SET snapshot = ?2, oldest = ?3, sum = ?4 WHERE id = ?1")
        removeRuns = try Statement(connection, "DELETE FROM runs WHERE space = ?1 AND last <= ?2")
        removeAnswers = try Statement(
            connection,
            """
            DELETE FROM answers WHERE seq IN
                (SELECT seq FROM (SELECT seq, at FROM answers ORDER BY seq LIMIT \(Self.rowsLimit)) WHERE at < ?1)
            """)
    }

    /// Brings a snapshot forward from where `head` says that it was to `version`, and removes commits that history is not to hold any more and
    /// the snapshot covers. Whether there are more of those; nil where somebody else moved the snapshot.
    func advance(_ space: SpaceName, from head: Head, to version: Int, by net: Net) throws(JournalFailure) -> Bool? {
        guard var now = try writer.head(of: space), now.id == head.id, now.snapshot == head.snapshot else { return nil }
        let end = max(now.oldest, min(version, now.version - history))
        let oldest = min(end, now.oldest + Self.rowsLimit)
        try writer.transaction(isNews: false) { () throws(JournalFailure) in
            try snapshots.apply(net, to: now.id)
            if oldest > now.oldest { try removeRuns.run(.integer(now.id), .integer(oldest)) }
            try moveSnapshot.run(
                .integer(now.id), .integer(version), .integer(oldest), .integer(Head.sum(now.id, space.description)))
        }
        now.snapshot = version
        now.oldest = oldest
        now.tailBytes = 0
        writer.heads[space] = now
        return oldest < end
    }

    /// Removes answers that were given before a time; whether there may be more.
    func expire(before time: Timestamp) throws(JournalFailure) -> Bool {
        try writer.transaction(isNews: false) { () throws(JournalFailure) in
            try removeAnswers.run(.integer(Int(time.microseconds)))
            return writer.connection.changes > 0
        }
    }

    /// Removes rows of a space that was forgotten, and blots out where they stood; whether there may be more.
    func clear() throws(JournalFailure) -> Bool {
        let connection = writer.connection
        try connection.execute("PRAGMA secure_delete = ON")
        let hasMore = try removeForgotten(connection)
        try connection.execute("PRAGMA secure_delete = OFF")
        return hasMore
    }

    private func removeForgotten(_ connection: Connection) throws(JournalFailure) -> Bool {
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
