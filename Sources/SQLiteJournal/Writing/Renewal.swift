internal import StateStore

extension DatabaseConnection {
    /// Makes the log durable after a failed sync or after a process that died: writes it again, syncs it, copies all of
    /// it into the database, and syncs that. Precondition: no checkpoint runs.
    ///
    /// Throws `damaged` if the log cannot be read as it was written. Then the process must end: its next start has
    /// every commit that was synced.
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
        // The failed sync may have been the database's: then copies from before it are in doubt as well.
        try withLogIndex { index throws(JournalFailure) in index.forgetCopies() }
        abandon()
        try checkpoint()
    }
}
