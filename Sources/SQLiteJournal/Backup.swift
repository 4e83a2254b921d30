internal import CSQLite
internal import Glibc
public import StateStore

extension SQLiteJournal {
    /// Copies what a directory keeps into a new one, whether a server is writing to it or not. The copy is of one moment, and holds everything that was
    /// answered before the call. `target` must not be there, and is there only once it is whole. A server that starts on the copy begins a new life.
    ///
    /// One read transaction holds the moment, so the copy ends however much is written meanwhile; the log of the journal grows by what is.
    public static func backup(_ directory: String, to target: String) throws(JournalFailure) -> BackupReport {
        let source = try inspect(directory)
        let home = Home(directory: target + ".partial")
        try requireNothing(at: target)
        try home.create()
        // Nobody else makes the same copy at the same time.
        let lock = try DirectoryLock(home)
        do throws(JournalFailure) {
            try removeFiles(of: home)
            let report = try BackupCopy(source, to: home).run()
            try home.publish(as: target)
            _ = consume lock
            return report
        } catch {
            try removeFiles(of: home)
            guard unsafe unlink(home.lock) == 0, unsafe rmdir(home.directory) == 0 else {
                throw .unusable("\(home.directory) cannot be removed, and \(error)")
            }
            throw error
        }
    }

    private static func requireNothing(at target: String) throws(JournalFailure) {
        var status = stat()
        if unsafe lstat(target, &status) == 0 {
            throw JournalFailure(.unusable, "\(target) is there already. Name a directory that is not.")
        }
        guard errno == ENOENT else { throw .unusable("\(target) cannot be made") }
    }

    /// Removes what an earlier copy left that did not end.
    private static func removeFiles(of home: Home) throws(JournalFailure) {
        for path in [home.database, home.database + "-wal", home.database + "-shm", home.database + "-journal"] {
            guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .unusable("\(path) cannot be removed") }
        }
    }
}

/// The size of a copy and the time that it took.
public struct BackupReport: Hashable, Sendable {
    /// The bytes that were copied.
    public let bytes: Int
    /// The seconds from the moment that the copy shows to its end.
    public let seconds: Double
}

/// One copy of a database, page by page.
struct BackupCopy: ~Copyable {
    /// The pages of a step: a megabyte.
    static let stepPages: Int32 = 256
    /// The bytes of a second, so that commits keep most of the disk.
    static let bytesPerSecond = 64 * 1_024 * 1_024

    private let source: Connection
    private let home: Home

    init(_ source: Connection, to home: Home) {
        self.source = source
        self.home = home
    }

    /// Copies everything as of now, and makes it durable.
    consuming func run() throws(JournalFailure) -> BackupReport {
        let start = Bell.now
        let bytes = try source.transaction("DEFERRED") { [source, home] () throws(JournalFailure) in
            // The first read fixes the moment. A copy within a transaction does not begin anew when somebody writes.
            _ = try source.integer("SELECT count(*) FROM meta")
            let target = try Connection(home.database, .writing)
            // Until it is published nobody takes it for a journal, so nothing has to be synced on the way.
            try target.execute("PRAGMA synchronous = OFF")
            try target.execute("PRAGMA journal_mode = OFF")
            return try source.copy(to: target, pages: Self.stepPages) { bytes in Self.pause(after: bytes, since: start) }
        }
        let target = try Connection(home.database, .writing)
        try Register.breakOff(on: target)
        try target.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return BackupReport(bytes: bytes, seconds: Double(Bell.now - start) / 1e9)
    }

    /// Waits until as much time has passed as these bytes may take.
    private static func pause(after bytes: Int, since start: Int) {
        let due = start + Int(Double(bytes) / Double(bytesPerSecond) * 1e9)
        var time = timespec(tv_sec: due / 1_000_000_000, tv_nsec: due % 1_000_000_000)
        while unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
    }
}

extension Connection {
    /// Copies all pages to an empty database; the bytes that it has. `pause` is called between any two steps, with the bytes so far.
    func copy(to target: Connection, pages: Int32, _ pause: (Int) -> Void) throws(JournalFailure) -> Int {
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
            if code == SQLITE_OK { pause(count * pageSize) }
        }
        let end = unsafe sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE, end == SQLITE_OK else { throw target.failure(code == SQLITE_DONE ? end : code) }
        return count * pageSize
    }
}
