internal import JSON
internal import StateStore

/// The rows of snapshots and of the past. A later snapshot writes only the changed rows.
final class SnapshotRows {
    /// The maximum number of rows that one call removes.
    static let rowsLimit = 512

    private let connection: DatabaseConnection
    private let put: Statement
    private let remove: Statement
    private let end: Statement
    private let endNothing: Statement
    private let touch: Statement
    private let removeEnded: Statement
    private let touchedAfter: Statement
    private let removeTouches: Statement

    init(_ connection: DatabaseConnection) throws(JournalFailure) {
        self.connection = connection
        put = try Statement(
            connection,
            "INSERT OR REPLACE INTO state (space, variable, entry, value, since, sum) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
        remove = try Statement(connection, "DELETE FROM state WHERE space = ?1 AND variable = ?2 AND entry = ?3")
        end = try Statement(
            connection,
            """
            INSERT OR REPLACE INTO past (space, variable, entry, until, since, value, sum)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """)
        endNothing = try Statement(
            connection,
            """
            INSERT OR IGNORE INTO past (space, variable, entry, until, since, value, sum)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """)
        touch = try Statement(connection, "INSERT OR REPLACE INTO touches VALUES (?1, ?2, ?3)")
        removeEnded = try Statement(
            connection,
            """
            DELETE FROM past WHERE space = ?1 AND (variable, entry, until) IN
                (SELECT variable, entry, until FROM past INDEXED BY past_by_end
                WHERE space = ?1 AND until <= ?2 LIMIT \(Self.rowsLimit))
            """)
        touchedAfter = try Statement(
            connection, "SELECT min(variable) FROM touches WHERE space = ?1 AND variable > ?2")
        removeTouches = try Statement(
            connection, "DELETE FROM touches WHERE space = ?1 AND variable = ?2 AND version <= ?3")
    }

    /// Writes the rows that change on the way from one snapshot to the next.
    func apply(_ advance: SnapshotAdvance, to space: Int) throws(JournalFailure) {
        try applyPast(advance, to: space)
        try advance.eachChange { variable, entry, row throws(JournalFailure) in
            try change(to: row, variable, entry, in: space)
        }
    }

    /// Writes a part of the rows that change.
    func apply(_ part: SnapshotAdvance.RowPart, to space: Int) throws(JournalFailure) {
        try put(part.ended, in: space)
        for one in part.changes { try change(to: one.row, one.variable, one.entry, in: space) }
    }

    /// Writes one row of `state`, or removes it.
    private func change(
        to row: SnapshotAdvance.SinceValue?, _ variable: String, _ entry: [UInt8], in space: Int
    ) throws(JournalFailure) {
        guard let row else { return try remove.run(.integer(space), .text(variable), .bytes(entry)) }
        try put(row, variable, entry, in: space)
    }

    /// Writes only the rows of the past and of the changes by entry.
    func applyPast(_ advance: SnapshotAdvance, to space: Int) throws(JournalFailure) {
        try put(advance.ended, in: space)
        for row in advance.touches {
            try touch.run(.integer(space), .text(row.variable.text), .integer(row.version))
        }
    }

    private func put(_ ended: [SnapshotAdvance.EndedRow], in space: Int) throws(JournalFailure) {
        for row in ended {
            let (variable, value) = (row.variable.text, row.value)
            // A part that was written before a restart has ended the row that was there.
            try (value.since == row.until ? endNothing : end).run(
                .integer(space), .text(variable), .bytes(row.entry), .integer(row.until), Self.value(value.since),
                .bytes(value.value),
                .integer(
                    StateRow.sum(variable, row.entry, value.value, since: value.since, until: row.until)))
        }
    }

    /// Writes one row of `state`.
    func put(
        _ row: SnapshotAdvance.SinceValue, _ variable: String, _ entry: [UInt8], in space: Int
    ) throws(JournalFailure) {
        try put.run(
            .integer(space), .text(variable), .bytes(entry), .bytes(row.value), Self.value(row.since),
            .integer(StateRow.sum(variable, entry, row.value, since: row.since, until: nil)))
    }

    private static func value(_ since: Int?) -> Statement.Value { since.map { .integer($0) } ?? .null }

    /// Removes rows of the past that ended at or before `oldest`. Returns true if there may be more.
    func trim(_ space: Int, upTo oldest: Int) throws(JournalFailure) -> Bool {
        try removeEnded.run(.integer(space), .integer(oldest))
        return connection.changes == Self.rowsLimit
    }

    /// Removes rows of `touches` of the commits up to `oldest`.
    func trimTouches(_ space: Int, upTo oldest: Int) throws(JournalFailure) {
        var variable: [UInt8] = []
        while true {
            touchedAfter.bind(.integer(space), .bytes(variable))
            guard try touchedAfter.step() else { return }
            let isEnd = touchedAfter.isNull(0)
            variable = touchedAfter.bytes(0)
            touchedAfter.reset()
            if isEnd { return }
            try removeTouches.run(.integer(space), .bytes(variable), .integer(oldest))
        }
    }
}
