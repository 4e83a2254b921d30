package import SQLiteJournal
package import StateStore

/// A journal that one node fills from the log.
package protocol JournalCopy: Journal {
    /// Returns what `append` would return, without storing anything.
    func fits(_ commits: [CommitRecord]) throws(JournalFailure) -> [AppendResult]

    /// Stores steps and rows in one transaction. A row replaces that of the same name. Throws and stores nothing if a
    /// commit is not the next of its space. Need not be durable, because the log has the steps too.
    func apply(_ steps: [CopyStep], rows: [CopyRow]) throws(JournalFailure)

    /// The rows that were stored.
    func rows() throws(JournalFailure) -> [CopyRow]
}

extension SQLiteJournal: JournalCopy {}
