internal import Glibc
internal import StateStore

/// The lock of a directory, which one process holds at a time. The kernel releases it when the process dies.
///
/// Both the file `lock` and the directory are locked. The lock on a removed file excludes no process, and older
/// versions of this program lock only the file.
struct DirectoryLock: ~Copyable {
    private let descriptor: Int32
    private let directory: Int32

    init(_ folder: JournalDirectory) throws(JournalFailure) {
        let directory = unsafe open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw .unusable("\(folder.path) cannot be opened") }
        let descriptor = unsafe open(folder.lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let failure = JournalFailure.unusable("Nothing can be written in \(folder.path)")
            Glibc.close(directory)
            throw failure
        }
        if let failure = Self.failure(of: descriptor, directory, in: folder) {
            Glibc.close(descriptor)
            Glibc.close(directory)
            throw failure
        }
        self.descriptor = descriptor
        self.directory = directory
    }

    deinit {
        // A child process between fork and exec may hold copies of the descriptors. Then closing this process's own
        // would not release the locks.
        for one in [descriptor, directory] {
            flock(one, LOCK_UN)
            Glibc.close(one)
        }
    }

    /// Locks both, and writes the process into the file. Returns the reason if that is not possible.
    private static func failure(
        of descriptor: Int32, _ directory: Int32, in folder: JournalDirectory
    ) -> JournalFailure? {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let number = errno
            let holder = holder(descriptor)
            guard number == EWOULDBLOCK else { return .unusable("\(folder.lock) cannot be locked", number) }
            return JournalFailure(
                .locked, "\(folder.path) is in use by \(holder). Stop that one, or name another directory.")
        }
        // Some network file systems lock no directories; the file is locked there.
        guard flock(directory, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
            return JournalFailure(
                .locked, "\(folder.path) is in use by another process. Stop that one, or name another directory.")
        }
        let text = Array("\(getpid())\n".utf8)
        let count =
            unsafe ftruncate(descriptor, 0) == 0
            ? text.withUnsafeBytes({ unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }) : -1
        guard count == text.count else {
            return JournalFailure(.cannotWrite, "\(folder.lock) cannot be written: \(JournalFailure.words(errno)).")
        }
        return nil
    }

    private static func holder(_ descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 20)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, $0.count, 0) }
        let digits = bytes.prefix(max(0, count)).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return digits.isEmpty ? "another process" : "process " + String(decoding: digits, as: UTF8.self)
    }
}
