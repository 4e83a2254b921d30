internal import JSON
internal import StateStore

/// The rows of snapshots. A delta of later commits writes only the changed rows.
final class SnapshotRows {
    private let connection: DatabaseConnection
    private let put: Statement
    private let whole: Statement
    private let removeEntry: Statement
    private let removeVariable: Statement

    init(_ connection: DatabaseConnection) throws(JournalFailure) {
        self.connection = connection
        put = try Statement(
            connection, "INSERT OR REPLACE INTO state (space, variable, entry, value, sum) VALUES (?1, ?2, ?3, ?4, ?5)")
        whole = try Statement(connection, "SELECT value FROM state WHERE space = ?1 AND variable = ?2 AND entry = ''")
        removeEntry = try Statement(connection, "DELETE FROM state WHERE space = ?1 AND variable = ?2 AND entry = ?3")
        removeVariable = try Statement(connection, "DELETE FROM state WHERE space = ?1 AND variable = ?2")
    }

    func apply(_ net: SnapshotDelta, to space: Int) throws(JournalFailure) {
        for (variable, change) in net.changes {
            if let whole = change.whole {
                try removeVariable.run(.integer(space), .text(variable))
                try put(Fact(variable: variable, value: whole), in: space)
            } else {
                try spread(variable, of: space)
            }
            for fact in change.entries {
                if fact.value == nil {
                    try removeEntry.run(.integer(space), .text(variable), .bytes(StateRow.entry(fact.entry)))
                } else {
                    try put(fact, in: space)
                }
            }
        }
    }

    /// Splits a whole value into an empty object and its entries, before an entry changes.
    private func spread(_ variable: String, of space: Int) throws(JournalFailure) {
        whole.bind(.integer(space), .text(variable))
        guard try whole.step() else { return }
        let value = whole.bytes(0)
        whole.reset()
        guard value != FactsText.emptyObject else { return }
        let entries: [(key: String, value: [UInt8])]
        do {
            entries = try FactsText.entries(of: value)
        } catch {
            throw .damaged(connection.path, "\(variable) changes by entry but has none (\(error))")
        }
        try put(Fact(variable: variable, value: FactsText.emptyObject), in: space)
        for (key, value) in entries { try put(Fact(variable: variable, entry: key, value: value), in: space) }
    }

    /// Writes one row.
    func put(_ fact: Fact, in space: Int) throws(JournalFailure) {
        let entry = StateRow.entry(fact.entry)
        let value = fact.value ?? FactsText.null
        try put.run(
            .integer(space), .text(fact.variable), .bytes(entry), .bytes(value),
            .integer(StateRow.sum(fact.variable, entry, value, since: nil, until: nil)))
    }
}
