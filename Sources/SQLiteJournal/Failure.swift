internal import CSQLite
internal import Glibc
internal import StateStore

extension JournalFailure {
    /// What SQLite tells, in words that a person can act on.
    @unsafe
    init(code: Int32, on handle: OpaquePointer?, at path: String) {
        let reason = unsafe handle.map { unsafe String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
        let system = unsafe handle.map { unsafe sqlite3_system_errno($0) } ?? 0
        let words = system == 0 ? reason : "\(reason): \(JournalFailure.words(system))"
        switch code & 0xFF {
        case SQLITE_CORRUPT, SQLITE_NOTADB: self = .damaged(path, words)
        case SQLITE_FULL:
            self.init(.cannotWrite, "The disk is full: \(path) cannot grow. Make room; writing goes on by itself.")
        case SQLITE_READONLY:
            self.init(.cannotWrite, "\(path) cannot be written (\(words)). Is the disk read-only, or does it belong to somebody else?")
        // Extended codes, macros that are not imported: IOERR_READ, _SHORT_READ, _DATA, _CORRUPTFS (sqlite.org/rescode.html).
        case SQLITE_IOERR where [1, 2, 32, 33].contains(code >> 8):
            self = .damaged(path, words)
        // IOERR_FSYNC and IOERR_DIR_FSYNC.
        case SQLITE_IOERR where [4, 5].contains(code >> 8): self = .unsynced(path, words)
        case SQLITE_CANTOPEN: self.init(.unusable, "\(path) cannot be opened: \(words).")
        case SQLITE_BUSY, SQLITE_LOCKED:
            self.init(.cannotWrite, "Somebody else is writing to \(path): end what has it open; writing goes on by itself.")
        default: self.init(.cannotWrite, "\(path) cannot be written: \(words). Writing goes on by itself once that is mended.")
        }
    }

    /// The failure of a `COMMIT`. Only a few codes mean that the frame of the commit was not written: after any other, a crash may bring the
    /// commit back, though it is not to be seen now.
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

    /// A file whose sync failed.
    static func unsynced(_ path: String, _ reason: String) -> JournalFailure {
        JournalFailure(.outcomeUnknown, "\(path) cannot be synced: \(reason). Writing goes on by itself once that is mended.")
    }

    /// A file that cannot be read, and what to do about it.
    static func damaged(_ path: String, _ reason: String) -> JournalFailure {
        JournalFailure(
            .damaged,
            "\(path) is damaged: \(reason). `headwater check` tells how far; restore a copy, or `headwater export` what can be read.")
    }

    /// Something with the directory, as the system says it.
    static func unusable(_ what: String, _ number: Int32 = errno) -> JournalFailure {
        JournalFailure(.unusable, "\(what): \(words(number)).")
    }

    /// The system's words for an error.
    static func words(_ number: Int32) -> String {
        unsafe String(cString: strerror(number))
    }
}
