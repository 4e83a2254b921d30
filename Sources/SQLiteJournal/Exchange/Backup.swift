internal import Ground
internal import CSQLite
internal import Glibc
package import StateStore

extension SQLiteJournal {
    /// Copies a journal into a new directory, also while a server writes to it. The copy is consistent, and contains
    /// every commit that was acknowledged before the call. `target` must not exist. It appears once the copy is
    /// complete and checked: a copy of damage is no backup. A server that starts on the copy begins a new era.
    ///
    /// One read transaction holds the snapshot, so concurrent writes do not prolong the copy. Meanwhile the log grows
    /// by their commits. Calls `progress` with the bytes so far and all bytes.
    package static func backup(
        _ directory: String, to target: String, progress: (Int, Int) -> Void = { _, _ in }
    ) throws(JournalFailure) -> BackupReport {
        let source = try inspect(directory)
        let folder = JournalDirectory(path: target + ".partial")
        try requireNothing(at: target)
        guard !folder.lies(in: directory) else {
            throw JournalFailure(.unusable, "\(target) lies in \(directory). Name a directory elsewhere.")
        }
        try folder.create()
        // The lock keeps another backup from writing the same copy.
        let lock = try DirectoryLock(folder)
        do throws(JournalFailure) {
            try removeFiles(of: folder)
            // Files that this program did not write would become a part of the backup.
            if let stranger = try folder.entries().first(where: { "\(folder.path)/\($0)" != folder.lock }) {
                throw JournalFailure(
                    .unusable, "\(folder.path) holds \(stranger), which is not part of a backup. Remove the directory.")
            }
            let report = try BackupCopy(source, to: folder).run(progress)
            try requireWhole(folder, from: directory)
            try folder.publish(as: target)
            _ = consume lock
            return report
        } catch {
            try removeFiles(of: folder)
            let isRemoved = unsafe unlink(folder.lock) == 0 && (unsafe rmdir(folder.path) == 0 || errno == ENOTEMPTY)
            guard isRemoved else { throw .unusable("\(folder.path) cannot be removed, and \(error)") }
            throw error
        }
    }

    private static func requireWhole(_ folder: JournalDirectory, from directory: String) throws(JournalFailure) {
        let report = check(try DatabaseConnection(folder.database, .inspectingUnchanged, as: directory))
        guard let problem = report.problems.first else { return }
        throw JournalFailure(
            .damaged,
            "There is no backup of damage. \(problem)"
        )
    }

    private static func requireNothing(at target: String) throws(JournalFailure) {
        var status = stat()
        if unsafe lstat(target, &status) == 0 {
            throw JournalFailure(.unusable, "\(target) exists already. Name a new directory.")
        }
        guard errno == ENOENT else { throw .unusable("\(target) cannot be created") }
    }

    /// Removes the files of an earlier, incomplete copy.
    private static func removeFiles(of folder: JournalDirectory) throws(JournalFailure) {
        for path in [folder.database, folder.database + "-wal", folder.database + "-shm", folder.database + "-journal"]
        {
            guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .unusable("\(path) cannot be removed") }
        }
    }
}

/// The size of a copy and the time that it took.
package struct BackupReport: Hashable, Sendable {
    /// The number of bytes.
    package let bytes: Int
    /// The seconds from the moment of the copy to its end.
    package let seconds: Double
}

/// One copy of a database, page by page.
struct BackupCopy: ~Copyable {
    /// The pages of one step: 1 MB.
    static let stepPages: Int32 = 256
    /// The rate of a copy, which leaves most of the disk to commits.
    static let bytesPerSecond = 64 * 1_024 * 1_024

    private let source: DatabaseConnection
    private let folder: JournalDirectory

    init(_ source: DatabaseConnection, to folder: JournalDirectory) {
        self.source = source
        self.folder = folder
    }

    /// Copies the current content.
    consuming func run(_ progress: (Int, Int) -> Void = { _, _ in }) throws(JournalFailure) -> BackupReport {
        let start = MonotonicTime.now
        let bytes = try source.transaction("DEFERRED") { [source, folder] () throws(JournalFailure) in
            // The first read fixes the moment. Within a transaction, a copy does not restart when another connection
            // writes.
            _ = try source.integer("SELECT count(*) FROM meta")
            let target = try DatabaseConnection(folder.database, .writing)
            // Nothing opens the copy before it is published, so no step needs a sync.
            try target.execute("PRAGMA synchronous = OFF")
            try target.execute("PRAGMA journal_mode = OFF")
            return try source.copy(to: target, pages: Self.stepPages) { bytes, total in
                progress(bytes, total)
                Self.pause(after: bytes, since: start)
            }
        }
        let target = try DatabaseConnection(folder.database, .writing)
        try EpochTable.breakOff(on: target)
        try target.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return BackupReport(bytes: bytes, seconds: Double(MonotonicTime.now - start) / 1e9)
    }

    /// Waits as long as `bytes` take at the permitted rate.
    private static func pause(after bytes: Int, since start: Int64) {
        let due = start + Int64(Double(bytes) / Double(bytesPerSecond) * 1e9)
        var time = timespec(tv_sec: Int(due / 1_000_000_000), tv_nsec: Int(due % 1_000_000_000))
        while unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
    }
}

extension DatabaseConnection {
    /// Copies all pages to an empty database, and returns their bytes. Calls `pause` after each step with the bytes so
    /// far and all bytes.
    func copy(
        to target: DatabaseConnection, pages: Int32, _ pause: (Int, Int) -> Void
    ) throws(JournalFailure) -> Int {
        let pageSize = try integer("PRAGMA page_size")
        guard let backup = unsafe sqlite3_backup_init(target.handle, "main", handle, "main") else {
            throw target.failure(unsafe sqlite3_errcode(target.handle))
        }
        var code = SQLITE_OK
        var count = 0
        while code == SQLITE_OK {
            code = unsafe sqlite3_backup_step(backup, pages)
            let total = unsafe Int(sqlite3_backup_pagecount(backup))
            count = total - (unsafe Int(sqlite3_backup_remaining(backup)))
            if code == SQLITE_OK { pause(count * pageSize, total * pageSize) }
        }
        let end = unsafe sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE, end == SQLITE_OK else { throw target.failure(code == SQLITE_DONE ? end : code) }
        return count * pageSize
    }
}
