internal import StateStore

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
