internal import Glibc
package import StateStore

/// A consistent copy of a journal that another node of a cluster reads piece by piece. It ends with this object.
package final class JournalBase: Sendable {
    /// The number of bytes.
    package let size: Int
    private let descriptor: Int32

    fileprivate init(_ descriptor: Int32, size: Int) {
        self.descriptor = descriptor
        self.size = size
    }

    deinit {
        Glibc.close(descriptor)
    }

    /// Reads up to `count` bytes.
    package func bytes(from offset: Int, count: Int) throws(JournalFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: max(0, min(count, size - offset)))
        var done = 0
        while done < bytes.count {
            let read = unsafe bytes.withUnsafeMutableBytes { room in
                unsafe pread(descriptor, room.baseAddress.map { unsafe $0 + done }, room.count - done, offset + done)
            }
            if read < 0, errno == EINTR { continue }
            guard read > 0 else { throw .unusable("the base cannot be read") }
            done += read
        }
        return bytes
    }
}

extension SQLiteJournal {
    /// Copies the journal, also while it is written to. The file has no name from then on: the system removes it with
    /// the last user. Takes long for a large journal.
    package func makeJournalBase() throws(JournalFailure) -> JournalBase {
        let base = JournalDirectory(path: folder.path + "/base")
        try base.create()
        try Self.remove(base.database)
        defer {
            _ = unsafe unlink(base.database)
            _ = unsafe rmdir(base.path)
        }
        _ = try BackupCopy(try DatabaseConnection(folder.database, .reading), to: base).run()
        let descriptor = unsafe open(base.database, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unusable("\(base.database) cannot be opened") }
        return JournalBase(descriptor, size: Int(lseek(descriptor, 0, SEEK_END)))
    }

    fileprivate static func remove(_ database: String) throws(JournalFailure) {
        for path in [database, database + "-wal", database + "-shm", database + "-journal"] {
            guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .unusable("\(path) cannot be removed") }
        }
    }
}

/// The base that a node receives. It replaces the journal of a directory once it is whole.
package final class BaseDraft {
    private let folder: JournalDirectory
    private var lock: DirectoryLock?
    private let descriptor: Int32

    /// Begins a draft. Precondition: no journal of the directory is open.
    package init(in directory: String) throws(JournalFailure) {
        folder = JournalDirectory(path: directory)
        try folder.create()
        lock = try DirectoryLock(folder)
        try SQLiteJournal.remove(folder.draft)
        descriptor = unsafe open(folder.draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unusable("\(folder.draft) cannot be written") }
    }

    deinit {
        Glibc.close(descriptor)
    }

    /// Appends bytes.
    package func write(_ bytes: [UInt8]) throws(JournalFailure) {
        var done = 0
        while done < bytes.count {
            let written = unsafe bytes.withUnsafeBytes { bytes in
                unsafe Glibc.write(descriptor, bytes.baseAddress.map { unsafe $0 + done }, bytes.count - done)
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else {
                throw JournalFailure(.cannotWrite, "\(folder.draft) cannot be written: \(JournalFailure.words(errno))")
            }
            done += written
        }
    }

    /// Releases the directory. A draft that is not published is removed by the next one.
    package func end() {
        lock = nil
    }

    /// Makes the draft the journal of the directory, and releases the directory.
    package func publish() throws(JournalFailure) {
        guard try Schema.check(DatabaseConnection(folder.draft, .writing)) > 0 else {
            throw .damaged(folder.draft, "the base of another node is no journal")
        }
        // A log of the draft would be of its first opening.
        for path in [folder.draft + "-wal", folder.draft + "-shm", folder.index] {
            guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .unusable("\(path) cannot be removed") }
        }
        try folder.publishDraft()
        end()
    }
}
