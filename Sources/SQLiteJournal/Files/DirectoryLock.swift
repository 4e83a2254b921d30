internal import Glibc
internal import StateStore

/// The lock of a directory, which one process holds at a time. The kernel releases it when the process dies.
struct DirectoryLock: ~Copyable {
    private let descriptor: Int32

    init(_ folder: JournalDirectory) throws(JournalFailure) {
        descriptor = unsafe open(folder.lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unusable("Nothing can be written in \(folder.path)") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let number = errno
            let holder = Self.holder(descriptor)
            Glibc.close(descriptor)
            guard number == EWOULDBLOCK else { throw .unusable("\(folder.lock) cannot be locked", number) }
            throw JournalFailure(
                .locked, "\(folder.path) is in use by \(holder). Stop that one, or name another directory.")
        }
        let text = Array("\(getpid())\n".utf8)
        let count =
            unsafe ftruncate(descriptor, 0) == 0
            ? text.withUnsafeBytes({ unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }) : -1
        guard count == text.count else {
            let number = errno
            Glibc.close(descriptor)
            throw JournalFailure(.cannotWrite, "\(folder.lock) cannot be written: \(JournalFailure.words(number)).")
        }
    }

    deinit {
        // A child process between fork and exec may have a copy of the descriptor; closing only ours would leave the
        // lock.
        flock(descriptor, LOCK_UN)
        Glibc.close(descriptor)
    }

    private static func holder(_ descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 20)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, $0.count, 0) }
        let digits = bytes.prefix(max(0, count)).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return digits.isEmpty ? "another process" : "process " + String(decoding: digits, as: UTF8.self)
    }
}
