internal import JSON
internal import StateStore

/// The reads of `past`, `touches`, and of single rows of `state`.
final class PastRows {
    private let connection: DatabaseConnection
    private let rowAfter: Statement
    private let rowAt: Statement
    private let current: Statement
    private let currentOfVariable: Statement
    private let currentOfEntry: Statement
    private let endedUpTo: Statement
    private let sinceOfEnded: Statement
    private let sinceOfCurrent: Statement
    private let touched: Statement
    private let allEnded: Statement
    private let allTouches: Statement

    init(_ connection: DatabaseConnection) throws(JournalFailure) {
        self.connection = connection
        rowAfter = try Statement(
            connection,
            """
            SELECT variable, entry FROM past WHERE space = ?1 AND (variable, entry) > (?2, ?3)
            ORDER BY variable, entry LIMIT 1
            """)
        rowAt = try Statement(
            connection,
            """
            SELECT variable, entry, value, since, sum, until FROM past
            WHERE space = ?1 AND variable = ?2 AND entry = ?3 AND until > ?4 ORDER BY until LIMIT 1
            """)
        current = try Statement(
            connection,
            """
            SELECT variable, entry, value, since, sum FROM state
            WHERE space = ?1 AND ifnull(since, 0) <= ?2 ORDER BY variable, entry
            """)
        currentOfVariable = try Statement(
            connection, "SELECT variable, entry, value, since, sum FROM state WHERE space = ?1 AND variable = ?2")
        currentOfEntry = try Statement(
            connection,
            """
            SELECT variable, entry, value, since, sum FROM state WHERE space = ?1 AND variable = ?2 AND entry = ?3
            """)
        endedUpTo = try Statement(
            connection,
            """
            SELECT until FROM past WHERE space = ?1 AND variable = ?2 AND entry = ?3 AND until <= ?4
            ORDER BY until DESC LIMIT 1
            """)
        sinceOfEnded = try Statement(
            connection,
            """
            SELECT since FROM past WHERE space = ?1 AND variable = ?2 AND entry = ?3 AND until > ?4
            ORDER BY until LIMIT 1
            """)
        sinceOfCurrent = try Statement(
            connection, "SELECT since FROM state WHERE space = ?1 AND variable = ?2 AND entry = ?3")
        touched = try Statement(
            connection, "SELECT max(version) FROM touches WHERE space = ?1 AND variable = ?2 AND version <= ?3")
        allEnded = try Statement(
            connection, "SELECT variable, entry, value, since, sum, until FROM past WHERE space = ?1")
        allTouches = try Statement(connection, "SELECT variable, version FROM touches WHERE space = ?1")
    }

    /// Calls `body` with each row of `past` of a space, and the version that ended it.
    func eachEnded(
        of space: SpaceName, id: Int, _ body: (StateRow, _ until: Int) throws(JournalFailure) -> Void
    ) throws(JournalFailure) {
        allEnded.bind(.integer(id))
        defer { allEnded.reset() }
        while try allEnded.step() {
            try body(try StateRow(ended: allEnded, of: space, at: connection.path), allEnded.integer(5))
        }
    }

    /// Calls `body` with each row of `touches` of a space.
    func eachTouch(
        of id: Int, _ body: (_ variable: String, _ version: Int) throws(JournalFailure) -> Void
    ) throws(JournalFailure) {
        allTouches.bind(.integer(id))
        defer { allTouches.reset() }
        while try allTouches.step() { try body(allTouches.text(0), allTouches.integer(1)) }
    }

    /// The rows of a space at a version, which is not after its snapshot: by variable, a whole value before its
    /// entries. One seek for each variable or entry that ever changed, and one read of the current rows.
    func facts(of space: SpaceName, id: Int, at version: Int) throws(JournalFailure) -> [StateRow] {
        var rows: [StateRow] = []
        try eachFact(of: space, id: id, at: version) { row throws(JournalFailure) in rows.append(row) }
        return rows
    }

    /// Calls `body` with each row of a space at a version, in the order of `facts`. Memory holds two rows.
    func eachFact(
        of space: SpaceName, id: Int, at version: Int, _ body: (StateRow) throws(JournalFailure) -> Void
    ) throws(JournalFailure) {
        var place: (variable: [UInt8], entry: [UInt8]) = ([], [])
        var ended = try endedRow(of: space, id: id, after: &place, at: version)
        current.bind(.integer(id), .integer(version))
        defer { current.reset() }
        while try current.step() {
            let row = try StateRow(current, of: space, at: connection.path)
            while let one = ended, one.precedes(row) {
                try body(one)
                ended = try endedRow(of: space, id: id, after: &place, at: version)
            }
            try body(row)
        }
        while let one = ended {
            try body(one)
            ended = try endedRow(of: space, id: id, after: &place, at: version)
        }
    }

    /// The first row after `place` that held at a version and was ended later. `place` moves to that row.
    private func endedRow(
        of space: SpaceName, id: Int, after place: inout (variable: [UInt8], entry: [UInt8]), at version: Int
    ) throws(JournalFailure) -> StateRow? {
        while let next = try row(after: place.variable, place.entry, of: id) {
            place = next
            rowAt.bind(.integer(id), .bytes(next.0), .bytes(next.1), .integer(version))
            guard try rowAt.step() else { continue }
            defer { rowAt.reset() }
            guard rowAt.isNull(3) || rowAt.integer(3) <= version else { continue }
            return try StateRow(ended: rowAt, of: space, at: connection.path)
        }
        return nil
    }

    /// The rows of a variable in the snapshot, or the row of one entry.
    func current(
        of space: SpaceName, id: Int, _ variable: String, _ entry: [UInt8]?
    ) throws(JournalFailure) -> [StateRow] {
        let statement = entry == nil ? currentOfVariable : currentOfEntry
        if let entry {
            statement.bind(.integer(id), .text(variable), .bytes(entry))
        } else {
            statement.bind(.integer(id), .text(variable))
        }
        defer { statement.reset() }
        var rows: [StateRow] = []
        while try statement.step() { rows.append(try StateRow(statement, of: space, at: connection.path)) }
        return rows
    }

    /// The variable and the entry of the first row of `past` after another.
    private func row(
        after variable: [UInt8], _ entry: [UInt8], of space: Int
    ) throws(JournalFailure) -> ([UInt8], [UInt8])? {
        rowAfter.bind(.integer(space), .bytes(variable), .bytes(entry))
        guard try rowAfter.step() else { return nil }
        defer { rowAfter.reset() }
        let (next, key) = (rowAfter.bytes(0), rowAfter.bytes(1))
        // A damaged page can have its rows in another order. Then a walk from row to row would have no end.
        let isNext = next == variable ? entry.lexicographicallyPrecedes(key) : variable.lexicographicallyPrecedes(next)
        guard isNext else { throw .damaged(connection.path, "rows of past are out of order") }
        return (next, key)
    }

    /// The last version up to `version` that wrote a variable or an entry, as far as the rows of the snapshot know. The
    /// replacement of a whole variable writes each of its entries.
    func lastChange(
        of variable: String, entry: String?, id: Int, upTo version: Int
    ) throws(JournalFailure) -> Int? {
        let whole = try lastChange(of: variable, StateRow.entry(nil), id, version)
        if let entry { return max(whole, try lastChange(of: variable, StateRow.entry(entry), id, version)) }
        touched.bind(.integer(id), .text(variable), .integer(version))
        defer { touched.reset() }
        guard try touched.step(), !touched.isNull(0) else { return whole }
        return max(whole, touched.integer(0))
    }

    private func lastChange(
        of variable: String, _ entry: [UInt8], _ id: Int, _ version: Int
    ) throws(JournalFailure) -> Int? {
        var last: Int?
        for (statement, isBounded) in [(endedUpTo, true), (sinceOfEnded, true), (sinceOfCurrent, false)] {
            if isBounded {
                statement.bind(.integer(id), .text(variable), .bytes(entry), .integer(version))
            } else {
                statement.bind(.integer(id), .text(variable), .bytes(entry))
            }
            guard try statement.step() else { continue }
            defer { statement.reset() }
            if !statement.isNull(0), statement.integer(0) <= version { last = max(last, statement.integer(0)) }
        }
        return last
    }

    /// The greater of two versions; nil is less than any.
    private func max(_ one: Int?, _ other: Int?) -> Int? {
        guard let one, let other else { return one ?? other }
        return Swift.max(one, other)
    }
}
