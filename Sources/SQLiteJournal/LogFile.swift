internal import Glibc
internal import StateStore

/// The write-ahead log, to be synced apart from writing it, or to be made longer ahead of it. SQLite holds no lock on this file that closing it here could lose.
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

    /// How many bytes it has, written or not.
    var length: Int {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Puts zeros behind its end, which to SQLite are no part of it; how long it is then, nil where there is no room. Nobody may write to it meanwhile.
    borrowing func lengthen(by count: Int) -> Int? {
        let length = length
        let zeros = [UInt8](repeating: 0, count: count)
        let written = unsafe zeros.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, count, off_t(length)) }
        return written == count ? length + count : nil
    }
}
