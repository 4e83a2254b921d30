internal import Glibc
internal import StateStore

/// The write-ahead log, to be synced apart from writing it. SQLite holds no lock on this file that closing it here could lose.
struct LogFile: ~Copyable, Sendable {
    private let path: String
    private let descriptor: Int32

    init(_ home: Home) throws(JournalFailure) {
        path = home.writeAheadLog
        descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unusable("\(path) cannot be opened") }
    }

    deinit {
        Glibc.close(descriptor)
    }

    /// Makes durable what was written.
    borrowing func sync() throws(JournalFailure) {
        guard fdatasync(descriptor) == 0 else {
            throw JournalFailure(.cannotWrite, "\(path) cannot be synced: \(JournalFailure.words(errno)).")
        }
    }
}
