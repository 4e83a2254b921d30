internal import Glibc
internal import StateStore

/// The directory of a journal, and the paths of its files.
struct JournalDirectory {
    let path: String

    var database: String { path + "/journal.sqlite" }
    /// The database that an import writes until it is whole.
    var draft: String { path + "/import.sqlite" }
    var writeAheadLog: String { database + "-wal" }
    /// The index of the log, which the connections of all processes share.
    var index: String { database + "-shm" }
    /// See `SyncMark`.
    var syncMark: String { path + "/synced" }
    var lock: String { path + "/lock" }
    /// See `LifeFile`.
    var life: String { path + "/life" }

    /// Creates the directory if it is missing, and makes its name durable. Its parent must exist: a mistyped path must
    /// not become a new tree.
    func create() throws(JournalFailure) {
        if unsafe mkdir(path, 0o700) == 0 { return try Self.sync(path + "/..") }
        switch errno {
        // A process that made it may have been killed before the sync. Without a sync, the parent is not one of this
        // server's disk, or this user cannot open it: then somebody else has made the directory.
        case EEXIST: try? Self.sync(path + "/..")
        case ENOENT:
            throw JournalFailure(.unusable, "\(path) cannot be created, because its parent directory does not exist.")
        case let number: throw .unusable("\(path) cannot be created", number)
        }
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw .unusable("\(path) cannot be used") }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw JournalFailure(.unusable, "\(path) is not a directory. Name a directory, or a new one, for the data.")
        }
    }

    /// Returns true if there is a database. Throws if the file is not one. Reads 100 bytes, however large the file is.
    func hasDatabase() throws(JournalFailure) -> Bool {
        let descriptor = unsafe open(database, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return false }
            throw .unusable("\(database) cannot be opened")
        }
        defer { Glibc.close(descriptor) }
        var header = [UInt8](repeating: 0, count: 100)
        let count = unsafe header.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        guard count >= 0 else { throw .damaged(database, JournalFailure.words(errno)) }
        // A crash before the first write leaves an empty file.
        if count == 0 { return true }
        // SQLite's file format, 1.3: the magic, and the size in pages if the last writer also wrote that.
        guard count == 100, header.starts(with: "SQLite format 3\0".utf8) else {
            let begin = header[..<min(count, 16)].map { String($0, radix: 16) }.joined(separator: " ")
            throw .damaged(database, "it does not begin like a database, but with \(count) bytes \(begin)")
        }
        func number(_ place: Int, _ count: Int) -> Int { header[place..<place + count].reduce(0) { $0 << 8 | Int($1) } }
        let pageSize = number(16, 2) == 1 ? 65_536 : number(16, 2)
        let size = Int(lseek(descriptor, 0, SEEK_END))
        // After a crash, missing pages may be in the log. Without a log they are lost.
        if number(24, 4) == number(92, 4), size < number(28, 4) * pageSize, !hasLog() {
            throw .damaged(database, "its end is missing (\(size) of \(number(28, 4) * pageSize) bytes are there)")
        }
        return true
    }

    /// Renames a complete directory to `target`, which must be missing or an empty directory.
    func publish(as target: String) throws(JournalFailure) {
        let descriptor = unsafe open(database, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unusable("\(database) cannot be opened") }
        let isSynced = fsync(descriptor) == 0
        Glibc.close(descriptor)
        guard isSynced else {
            throw JournalFailure(.cannotWrite, "\(database) cannot be synced: \(JournalFailure.words(errno)).")
        }
        try sync()
        guard unsafe rename(path, target) == 0 else {
            throw .unusable("\(path) cannot be renamed to \(target)")
        }
        try JournalDirectory(path: parent(of: target)).sync()
    }

    /// The names in the directory, in their order.
    func entries() throws(JournalFailure) -> [String] {
        guard let stream = unsafe opendir(path) else { throw .unusable("\(path) cannot be read") }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Returns true if this directory, which need not exist, lies below `other`.
    func lies(in other: String) -> Bool {
        guard let inner = Self.real(parent(of: path)), let outer = Self.real(other) else { return false }
        return inner == outer || inner.hasPrefix(outer == "/" ? outer : outer + "/")
    }

    /// The path without links and dots; nil if it does not exist.
    private static func real(_ path: String) -> String? {
        guard let found = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(found) }
        return unsafe String(cString: found)
    }

    private func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Renames the draft to the database, in one step.
    func publishDraft() throws(JournalFailure) {
        let descriptor = unsafe open(draft, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unusable("\(draft) cannot be opened") }
        let isSynced = fsync(descriptor) == 0
        Glibc.close(descriptor)
        // SQLite would apply an old log to the new file.
        guard isSynced, unsafe unlink(writeAheadLog) == 0 || errno == ENOENT, unsafe rename(draft, database) == 0 else {
            throw JournalFailure(.cannotWrite, "\(database) cannot be written: \(JournalFailure.words(errno)).")
        }
        try sync()
    }

    /// Makes new, renamed and removed names in the directory durable.
    func sync() throws(JournalFailure) { try Self.sync(path) }

    private static func sync(_ directory: String) throws(JournalFailure) {
        let descriptor = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unusable("\(directory) cannot be opened") }
        defer { Glibc.close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw JournalFailure(.cannotWrite, "\(directory) cannot be synced: \(JournalFailure.words(errno)).")
        }
    }

    /// Returns true if there is an index of the log.
    func hasIndex() -> Bool {
        var status = stat()
        return unsafe stat(index, &status) == 0
    }

    /// Returns true if there is a log that is not empty.
    func hasLog() -> Bool {
        var status = stat()
        return unsafe stat(writeAheadLog, &status) == 0 && status.st_size > 0
    }
}
