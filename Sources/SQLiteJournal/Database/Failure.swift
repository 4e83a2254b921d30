internal import CSQLite
internal import Glibc
internal import StateStore

extension JournalFailure {
    /// The failure of a call of SQLite, written for the operator.
    @unsafe
    init(code: Int32, on handle: OpaquePointer?, at path: String) {
        let reason =
            unsafe handle.map { unsafe String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
        let system = unsafe handle.map { unsafe sqlite3_system_errno($0) } ?? 0
        let words = system == 0 ? reason : "\(reason): \(JournalFailure.words(system))"
        switch code & 0xFF {
        case SQLITE_CORRUPT, SQLITE_NOTADB: self = .damaged(path, words)
        case SQLITE_FULL:
            self.init(.cannotWrite, "The disk is full: \(path) cannot grow. Make room; writing resumes by itself.")
        case SQLITE_READONLY:
            self.init(
                .cannotWrite,
                "\(path) cannot be written (\(words)). Is the disk read-only, or does the file belong to another user?")
        // Extended codes, macros that are not imported: IOERR_READ, _SHORT_READ, _DATA, _CORRUPTFS
        // (sqlite.org/rescode.html).
        case SQLITE_IOERR where [1, 2, 32, 33].contains(code >> 8):
            self = .damaged(path, words)
        // IOERR_FSYNC and IOERR_DIR_FSYNC.
        case SQLITE_IOERR where [4, 5].contains(code >> 8): self = .unsynced(path, words)
        case SQLITE_CANTOPEN: self.init(.unusable, "\(path) cannot be opened: \(words).")
        case SQLITE_BUSY, SQLITE_LOCKED:
            self.init(.cannotWrite, "Another process is writing to \(path): end it; writing resumes by itself.")
        default:
            self.init(
                .cannotWrite, "\(path) cannot be written: \(words). Writing resumes by itself once the fault is gone.")
        }
    }

    /// The failure of a `COMMIT`. Few codes mean that the frame of the commit was not written. After any other code the
    /// commit may reappear after a crash, although readers do not see it now.
    @unsafe
    init(commit code: Int32, on handle: OpaquePointer?, at path: String) {
        let failure = unsafe JournalFailure(code: code, on: handle, at: path)
        switch code & 0xFF {
        case SQLITE_FULL, SQLITE_READONLY, SQLITE_BUSY, SQLITE_LOCKED: self = failure
        // IOERR_WRITE.
        case SQLITE_IOERR where code >> 8 == 3: self = failure
        case _ where failure.kind == .damaged: self = failure
        default: self.init(.outcomeUnknown, failure.description)
        }
    }

    /// The failure of a sync of a file.
    static func unsynced(_ path: String, _ reason: String) -> JournalFailure {
        JournalFailure(
            .outcomeUnknown, "\(path) cannot be synced: \(reason). Writing resumes by itself once the fault is gone.")
    }

    /// The failure to read a file, and the remedy.
    static func damaged(_ path: String, _ reason: String) -> JournalFailure {
        JournalFailure(
            .damaged,
            "\(path) is damaged: \(reason). `headwater check` lists the damage. Restore a backup, or save what is readable with `headwater repair`."
        )
    }

    /// A failure of the system on a directory or file.
    static func unusable(_ what: String, _ number: Int32 = errno) -> JournalFailure {
        JournalFailure(.unusable, "\(what): \(words(number)).")
    }

    /// The system's text for an error number.
    static func words(_ number: Int32) -> String {
        unsafe String(cString: strerror(number))
    }
}
