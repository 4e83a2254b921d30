internal import CSQLite
internal import Glibc
internal import StateStore

/// A connection to a database file. The owner ensures that only one thread uses it at a time.
@safe
final class DatabaseConnection {
    /// The rights of a connection.
    enum Access {
        case writing, reading
        /// Read-only access to the database of a running server, or to a copy.
        case inspecting
        /// Read-only access to a file without a log that no process writes to.
        case inspectingUnchanged
    }

    /// The time to wait for another process that writes to the same file.
    static let patienceMilliseconds: Int32 = 2_000
    /// The time to wait after such a wait has failed, so that the waits of several callers do not add up.
    static let impatienceMilliseconds: Int32 = 20

    let path: String
    let handle: OpaquePointer
    /// True if another process held the file at the last try.
    private(set) var isBlocked = false

    /// Opens a file. Failures name `name`, or the path if that is nil.
    init(_ path: String, _ access: Access, as name: String? = nil) throws(JournalFailure) {
        let flags =
            switch access {
            case .writing: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .reading: SQLITE_OPEN_READWRITE
            case .inspecting: SQLITE_OPEN_READONLY
            case .inspectingUnchanged: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            }
        let file = access == .inspectingUnchanged ? Self.unchanged(path) : path
        var handle: OpaquePointer?
        let code = unsafe sqlite3_open_v2(file, &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let handle = unsafe handle else {
            let failure = unsafe JournalFailure(code: code, on: handle, at: name ?? path)
            unsafe sqlite3_close_v2(handle)
            throw failure
        }
        self.path = name ?? path
        unsafe self.handle = handle
        unsafe sqlite3_busy_timeout(handle, Self.patienceMilliseconds)
        try execute("PRAGMA trusted_schema = OFF")
        try execute("PRAGMA cell_size_check = ON")
        if access != .writing { try execute("PRAGMA query_only = ON") }
    }

    deinit {
        // Existing statements keep it open until they are released.
        unsafe sqlite3_close_v2(handle)
    }

    /// Runs statements without results.
    func execute(_ sql: String) throws(JournalFailure) {
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// The first column of the first row.
    func integer(_ sql: String) throws(JournalFailure) -> Int {
        let statement = try Statement(self, sql)
        guard try statement.step() else { return 0 }
        return statement.integer(0)
    }

    /// Turns on the write-ahead log, so that readers and the writer never wait for each other.
    func writeAhead() throws(JournalFailure) {
        let statement = try Statement(self, "PRAGMA journal_mode = WAL")
        // The result is the mode that is set now.
        guard try statement.step(), statement.text(0) == "wal" else {
            throw JournalFailure(
                .unusable,
                "\(path) lies on a file system that cannot entry memory. Keep the data on a disk of this machine.")
        }
    }

    /// Runs `body` in a transaction, and rolls back if it throws.
    func transaction<Result>(
        _ kind: String = "IMMEDIATE", _ body: () throws(JournalFailure) -> Result
    ) throws(JournalFailure) -> Result {
        do throws(JournalFailure) {
            try execute("BEGIN \(kind)")
            noteBegun()
            let result = try body()
            let code = unsafe sqlite3_exec(handle, "COMMIT", nil, nil, nil)
            guard code == SQLITE_OK else { throw commitFailure(code) }
            return result
        } catch {
            abandon()
            throw error
        }
    }

    /// Rolls back the open transaction, if there is one.
    func abandon() {
        // Some failures have rolled back already. If this fails, the next BEGIN fails too.
        if unsafe sqlite3_get_autocommit(handle) == 0 { unsafe sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
    }

    /// The number of rows that the last statement changed.
    var changes: Int { Int(unsafe sqlite3_changes64(handle)) }

    /// The number of pages that this connection has written.
    var pagesWritten: Int {
        var count: Int32 = 0
        var highest: Int32 = 0
        unsafe sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_WRITE, &count, &highest, 0)
        return Int(count)
    }

    /// Copies the write-ahead log into the database, as far as no reader needs an older page.
    func checkpoint() throws(JournalFailure) {
        let code = unsafe sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        guard code == SQLITE_OK || code == SQLITE_BUSY else { throw failure(code) }
    }

    /// Copies the whole write-ahead log into the database and empties its file. Returns false if a reader needs the log.
    func emptyLog() throws(JournalFailure) -> Bool {
        let code = unsafe sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        guard code == SQLITE_OK || code & 0xFF == SQLITE_BUSY else { throw failure(code) }
        return code == SQLITE_OK
    }

    /// Notes that a transaction has begun, so that no other process holds the file.
    func noteBegun() {
        if isBlocked { setBlocked(false) }
    }

    private func setBlocked(_ isBlocked: Bool) {
        self.isBlocked = isBlocked
        setPatience(milliseconds: isBlocked ? Self.impatienceMilliseconds : Self.patienceMilliseconds)
    }

    /// Sets how long a call waits for another process that writes.
    func setPatience(milliseconds: Int32) {
        unsafe sqlite3_busy_timeout(handle, milliseconds)
    }

    /// The failure of the last call.
    func failure(_ code: Int32) -> JournalFailure {
        if code & 0xFF == SQLITE_BUSY, !isBlocked { setBlocked(true) }
        return unsafe JournalFailure(code: code, on: handle, at: path)
    }

    /// The failure of the last call, a `COMMIT`.
    func commitFailure(_ code: Int32) -> JournalFailure {
        unsafe JournalFailure(commit: code, on: handle, at: path)
    }

    /// Runs `body` with the index of the log, as all connections share it.
    func withLogIndex<Result>(
        _ body: (inout LogIndex) throws(JournalFailure) -> Result
    ) throws(JournalFailure) -> Result {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
            let file = unsafe file,
            let map = unsafe file.pointee.pMethods?.pointee.xShmMap
        else { throw .unusable("\(path) has no log", EINVAL) }
        var start: UnsafeMutableRawPointer?
        // The first region exists after the first read. The functions of SQLite's VFS map it, so no lock of SQLite is
        // lost.
        let code = unsafe map(file, 0, LogIndex.regionBytes, 0, &start)
        guard code == SQLITE_OK, let start = unsafe start else {
            throw failure(code == SQLITE_OK ? SQLITE_IOERR : code)
        }
        var index = unsafe LogIndex(start)
        return try body(&index)
    }

    /// Keeps SQLite from copying the log when this connection is closed, even if it is the last.
    func keepLog() {
        unsafe headwater_keep_log(handle)
    }

    /// True after a call that failed because the index of the log could not be made.
    var lacksIndex: Bool {
        [SQLITE_CANTOPEN, SQLITE_READONLY].contains(unsafe sqlite3_extended_errcode(handle) & 0xFF)
    }

    /// The URI that makes SQLite read a file as immutable, without a log and without locks.
    private static func unchanged(_ path: String) -> String {
        let plain = Set("/.-_~".utf8)
        var uri = path.hasPrefix("/") ? "file://" : "file:"
        for byte in path.utf8 {
            let isLetter = UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
            if isLetter || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || plain.contains(byte) {
                uri.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16)
                uri += digits.count == 1 ? "%0" + digits : "%" + digits
            }
        }
        return uri + "?immutable=1"
    }

    /// Compiles a statement that is used many times.
    func prepare(_ sql: String) throws(JournalFailure) -> OpaquePointer {
        var statement: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement = unsafe statement else { throw failure(code) }
        return unsafe statement
    }
}
