internal import StateStore

extension Connection {
    /// Has the disk hold all that was written, after a sync that failed or a process that died: the log is written again and synced, and then all of it
    /// is copied to the database, which is synced too. No checkpoint may be under way.
    ///
    /// Throws `damaged` if what was written cannot be read any more. The process must end then: its next start has all that was synced.
    func renew(_ log: borrowing LogFile) throws(JournalFailure) {
        // Holds the lock for writing, so that nobody with a shell on the file appends meanwhile.
        try execute("BEGIN IMMEDIATE")
        defer { abandon() }
        let extent = try withLogIndex { index throws(JournalFailure) in index.extent }
        guard try log.renew(extent) else {
            throw JournalFailure(
                .damaged, "\(path)-wal lost what the disk could not write. The next start recovers every commit that was synced.")
        }
        // The failed sync may have been the database's: then copies from before it are in doubt as well.
        try withLogIndex { index throws(JournalFailure) in index.forgetCopies() }
        abandon()
        try checkpoint()
    }
}
