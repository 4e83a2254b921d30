package import SQLiteJournal
package import StateStore

/// A journal that one node fills from the log.
package protocol JournalCopy: Journal {
    /// Returns what `append` would return, without storing anything.
    func fits(_ commits: [CommitRecord]) throws(JournalFailure) -> [AppendResult]

    /// Stores steps and rows in one transaction. A row replaces that of the same name. Throws and stores nothing if a
    /// commit is not the next of its space. Need not be durable, because the log has the steps too.
    func apply(_ steps: [CopyStep], rows: [CopyRow]) throws(JournalFailure)

    /// Returns the places in the log of commits and deletions at places of this copy; nil where there is none.
    func shares(of places: [Int]) throws(JournalFailure) -> [Int?]

    /// Returns the cursor before the first commit or deletion that a reader does not have. `shares` are the places of
    /// the last ones that it has in the log, by lane, `common` first.
    func cursor(after shares: [Int]) throws(JournalFailure) -> JournalCursor

    /// Makes a base for another node. Takes long for a large copy, and may be called on any thread.
    func makeBase() throws(JournalFailure) -> any CopyBase

    /// The rows that were stored.
    func rows() throws(JournalFailure) -> [CopyRow]
}

extension SQLiteJournal: JournalCopy {
    package func makeBase() throws(JournalFailure) -> any CopyBase { try makeJournalBase() }
}
