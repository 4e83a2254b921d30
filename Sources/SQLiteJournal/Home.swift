internal import Glibc
internal import StateStore

/// The directory of a journal, and what is where in it.
struct Home {
    let directory: String

    var database: String { directory + "/journal.sqlite" }
    /// Where a journal is while it is being made of an export.
    var draft: String { directory + "/import.sqlite" }
    var writeAheadLog: String { database + "-wal" }
    /// The index of the log, which the connections of all processes share.
    var index: String { database + "-shm" }
    /// See `SyncMark`.
    var syncMark: String { directory + "/synced" }
    var lock: String { directory + "/lock" }
    /// See `LifeFile`.
    var life: String { directory + "/life" }

    /// Makes the directory if it is not there. Its parent must be: a mistyped path should not become a new tree.
    func create() throws(JournalFailure) {
        if unsafe mkdir(directory, 0o700) == 0 { return try Self.sync(directory + "/..") }
        switch errno {
        case EEXIST: break
        case ENOENT:
            throw JournalFailure(.unusable, "\(directory) cannot be made, because the directory that it should lie in is not there.")
        case let number: throw .unusable("\(directory) cannot be made", number)
        }
        var status = stat()
        guard unsafe stat(directory, &status) == 0 else { throw .unusable("\(directory) cannot be used") }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw JournalFailure(.unusable, "\(directory) is no directory. Name one, or a new one, to keep the data in.")
        }
    }

    /// Whether there is a journal; what is there but no journal is an error. Only its beginning is read, however large it is.
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
        // Nothing at all is what a crash leaves that comes before the first word.
        if count == 0 { return true }
        // SQLite's file format, 1.3: the magic, and the size in pages where the one who wrote last also wrote that.
        guard count == 100, header.starts(with: "SQLite format 3\0".utf8) else {
            throw .damaged(database, "it does not begin as a database does")
        }
        func number(_ place: Int, _ count: Int) -> Int { header[place..<place + count].reduce(0) { $0 << 8 | Int($1) } }
        let pageSize = number(16, 2) == 1 ? 65_536 : number(16, 2)
        let size = Int(lseek(descriptor, 0, SEEK_END))
        // What is missing may be in the log after a crash; without a log it is lost.
        if number(24, 4) == number(92, 4), size < number(28, 4) * pageSize, !hasLog() {
            throw .damaged(database, "its end is missing (\(size) of \(number(28, 4) * pageSize) bytes are there)")
        }
        return true
    }

    /// Gives a directory that is whole the name under which it is wanted, all at once. Nothing is lost that has this name: only an empty directory gives way.
    func publish(as target: String) throws(JournalFailure) {
        let descriptor = unsafe open(database, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unusable("\(database) cannot be opened") }
        let isSynced = fsync(descriptor) == 0
        Glibc.close(descriptor)
        guard isSynced else { throw JournalFailure(.cannotWrite, "\(database) cannot be synced: \(JournalFailure.words(errno)).") }
        try sync()
        guard unsafe rename(directory, target) == 0 else {
            throw .unusable("\(directory) cannot be renamed to \(target)")
        }
        try Home(directory: parent(of: target)).sync()
    }

    private func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Makes the draft the journal, all at once.
    func publishDraft() throws(JournalFailure) {
        let descriptor = unsafe open(draft, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unusable("\(draft) cannot be opened") }
        let isSynced = fsync(descriptor) == 0
        Glibc.close(descriptor)
        // A log that was left behind would be taken for the new file's.
        guard isSynced, unsafe unlink(writeAheadLog) == 0 || errno == ENOENT, unsafe rename(draft, database) == 0 else {
            throw JournalFailure(.cannotWrite, "\(database) cannot be written: \(JournalFailure.words(errno)).")
        }
        try sync()
    }

    /// Makes what was done to the directory itself durable.
    func sync() throws(JournalFailure) { try Self.sync(directory) }

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

    /// Whether there is a log with something in it.
    func hasLog() -> Bool {
        var status = stat()
        return unsafe stat(writeAheadLog, &status) == 0 && status.st_size > 0
    }
}
