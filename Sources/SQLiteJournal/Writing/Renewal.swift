internal import StateStore

extension DatabaseConnection {
    /// Makes the log durable after a failed sync or a crash: rewrites and syncs it, copies all of it into the database,
    /// and syncs the database. Precondition: no checkpoint runs.
    ///
    /// Throws `damaged` if the log differs from the written one. Then the process must end; its next start recovers
    /// every synced commit.
    func renew(_ log: borrowing LogFile) throws(JournalFailure) {
        // The write lock keeps other processes from appending meanwhile.
        try execute("BEGIN IMMEDIATE")
        defer { abandon() }
        let extent = try withLogIndex { index throws(JournalFailure) in index.extent }
        guard try log.renew(extent) else {
            throw JournalFailure(
                .damaged,
                "\(path)-wal lost frames that the disk could not write. The next start recovers every commit that was synced."
            )
        }
        // The failed sync may have been that of the database: then earlier copies may not be durable either.
        try withLogIndex { index throws(JournalFailure) in index.forgetCopies() }
        abandon()
        try checkpoint()
    }
}
