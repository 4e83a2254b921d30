internal import CSQLite
internal import Glibc
internal import StateStore

/// A connection to a database file. It is used by one thread at a time; whoever owns it sees to that.
@safe
final class Connection {
    /// What it may do to the file.
    enum Access {
        case writing, reading
        /// Nothing at all, so that it can look at what belongs to a running server, or at a copy.
        case inspecting
        /// The same, for a file that no process writes to and that has no log.
        case inspectingUnchanged
    }

    /// The time to wait for another process that writes to the same file,
    static let patienceMilliseconds: Int32 = 2_000
    /// and the time after one such wait was in vain: else each caller would wait for all before it, one after the other.
    static let impatienceMilliseconds: Int32 = 20

    let path: String
    let handle: OpaquePointer
    /// Set while another process was last found to have the file.
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
        // Statements that are still there keep it open until they go.
        unsafe sqlite3_close_v2(handle)
    }

    /// Runs statements that tell nothing.
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

    /// Has changes written to a log first, so that reading and writing are in nobody's way.
    func writeAhead() throws(JournalFailure) {
        let statement = try Statement(self, "PRAGMA journal_mode = WAL")
        // It answers with what it could do.
        guard try statement.step(), statement.text(0) == "wal" else {
            throw JournalFailure(
                .unusable, "\(path) lies on a file system that cannot share memory. Keep the data on a disk of this machine.")
        }
    }

    /// Does something all or nothing.
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

    /// Leaves a transaction that failed, so that the next one finds the connection as new.
    func abandon() {
        // Some failures have left it already. If leaving fails, the next BEGIN says so.
        if unsafe sqlite3_get_autocommit(handle) == 0 { unsafe sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
    }

    /// Rows that the last statement changed.
    var changes: Int { Int(unsafe sqlite3_changes64(handle)) }

    /// Pages that were written to the log, ever.
    var pagesWritten: Int {
        var count: Int32 = 0
        var highest: Int32 = 0
        unsafe sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_WRITE, &count, &highest, 0)
        return Int(count)
    }

    /// Copies what is in the write-ahead log to its place as far as nobody is in the way.
    func checkpoint() throws(JournalFailure) {
        let code = unsafe sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        guard code == SQLITE_OK || code == SQLITE_BUSY else { throw failure(code) }
    }

    /// A transaction has begun: no other process has the file.
    func noteBegun() {
        if isBlocked { setBlocked(false) }
    }

    private func setBlocked(_ isBlocked: Bool) {
        self.isBlocked = isBlocked
        unsafe sqlite3_busy_timeout(handle, isBlocked ? Self.impatienceMilliseconds : Self.patienceMilliseconds)
    }

    /// Why the last call went wrong.
    func failure(_ code: Int32) -> JournalFailure {
        if code & 0xFF == SQLITE_BUSY, !isBlocked { setBlocked(true) }
        return unsafe JournalFailure(code: code, on: handle, at: path)
    }

    /// Why a `COMMIT`, the last call, went wrong.
    func commitFailure(_ code: Int32) -> JournalFailure {
        unsafe JournalFailure(commit: code, on: handle, at: path)
    }

    /// Runs `body` with the index of the log, as all connections share it.
    func withLogIndex<Result>(_ body: (inout LogIndex) throws(JournalFailure) -> Result) throws(JournalFailure) -> Result {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file = unsafe file,
            let map = unsafe file.pointee.pMethods?.pointee.xShmMap
        else { throw .unusable("\(path) has no log", EINVAL) }
        var start: UnsafeMutableRawPointer?
        // The first region is there as soon as something was read. The system's own functions map it, so no lock of SQLite's is lost.
        let code = unsafe map(file, 0, LogIndex.regionBytes, 0, &start)
        guard code == SQLITE_OK, let start = unsafe start else { throw failure(code == SQLITE_OK ? SQLITE_IOERR : code) }
        var index = unsafe LogIndex(start)
        return try body(&index)
    }

    /// Leaves the log as it is when this connection is closed, also if it is the last.
    func keepLog() {
        unsafe headwater_keep_log(handle)
    }

    /// True after a call that failed because the index of the log could not be made.
    var lacksIndex: Bool {
        [SQLITE_CANTOPEN, SQLITE_READONLY].contains(unsafe sqlite3_extended_errcode(handle) & 0xFF)
    }

    /// The URI that has SQLite read a file as one that never changes, without a log and without locks.
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

    /// Compiles a statement, to be kept for long.
    func prepare(_ sql: String) throws(JournalFailure) -> OpaquePointer {
        var statement: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement = unsafe statement else { throw failure(code) }
        return unsafe statement
    }
}
