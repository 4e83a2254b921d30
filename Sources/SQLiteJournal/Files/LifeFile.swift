internal import Glibc
internal import StateStore

/// The file `life` in the directory of a journal. From it, a start determines whether the directory is the one that the
/// last process wrote, or a copy.
///
/// A copy has the content of the files but other inodes, and no program can set the time at which an inode changed
/// (`st_ctime`). So each start writes a random number into this file. It stores in the database that number, the inode
/// and the time of this file, and the inodes of the database and its log. The end of a process writes the inode, size
/// and time of the closed database into this file. The device is left out, because it changes when a disk is mounted
/// again.
struct LifeFile {
    private static let open = "open"
    private static let closed = "closed"
    /// A limit above every length that is written.
    private static let bytesLimit = 256

    private let folder: JournalDirectory
    /// The words in the file.
    private let found: [String]
    /// The proof that the database must contain if the last process was killed and the files are unchanged.
    private let whileOpen: String?
    /// The status of this file.
    private let own: Look?
    private let database: Look?

    /// Reads the files. Precondition: the database is not open yet, because opening creates a log.
    init(_ folder: JournalDirectory) {
        self.folder = folder
        found = Self.read(folder.life)
        // A started server has written to the log. An empty log was created by a program that only read the database.
        let hasLog = (Look(folder.writeAheadLog)?.size ?? 0) > 0
        // A directory whose sync mark was removed may lack acknowledged commits.
        let hasMark = Look(folder.syncMark) != nil
        whileOpen = found.count == 2 && hasLog && hasMark ? Self.proof(found[1], folder) : nil
        own = Look(folder.life)
        database = Look(folder.database)
    }

    /// The inode of a file, its size, and the time at which it changed, in nanoseconds.
    private struct Look {
        let inode: UInt
        let size: Int
        let changed: Int

        init?(_ path: String) {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return nil }
            inode = UInt(status.st_ino)
            size = Int(status.st_size)
            changed = Int(status.st_ctim.tv_sec) * 1_000_000_000 + Int(status.st_ctim.tv_nsec)
        }

        var words: String { "\(inode) \(size) \(changed)" }
    }

    /// True if a journal has begun a life in this directory, so that the directory had a database.
    var hasBegun: Bool { found.first == Self.open || found.first == Self.closed }

    /// Returns true if no file was replaced since `proof` was stored.
    func proves(_ proof: String, isClosed: Bool) -> Bool {
        guard isClosed else { return found.first == Self.open && proof == whileOpen }
        guard found.first == Self.closed, found.count == 5, let own, let database else { return false }
        let kept = proof.split(separator: " ").map(String.init)
        return kept.count == 5 && kept[0] == found[1] && kept[1] == "\(own.inode)" && kept[3] == "\(database.inode)"
            && found.dropFirst(2).joined(separator: " ") == database.words
    }

    /// Writes a new number, and returns the proof for the database.
    func begin() throws(JournalFailure) -> String {
        let nonce = String(UInt64.random(in: .min ... .max), radix: 36)
        try Self.write("\(Self.open) \(nonce)\n", to: folder.life)
        // The entry of the directory, which may be new.
        try folder.sync()
        guard let proof = Self.proof(nonce, folder) else { throw .unusable("\(folder.path) cannot be looked at") }
        return proof
    }

    /// Writes the status of the closed database.
    static func end(_ folder: JournalDirectory) throws(JournalFailure) {
        guard let nonce = read(folder.life).dropFirst().first, let database = Look(folder.database) else { return }
        try write("\(closed) \(nonce) \(database.words)\n", to: folder.life)
    }

    private static func proof(_ nonce: String, _ folder: JournalDirectory) -> String? {
        guard let own = Look(folder.life), let database = Look(folder.database), let log = Look(folder.writeAheadLog)
        else { return nil }
        return "\(nonce) \(own.inode) \(own.changed) \(database.inode) \(log.inode)"
    }

    /// The words in the file; none if the file is missing or incomplete.
    private static func read(_ path: String) -> [String] {
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { Glibc.close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: bytesLimit)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
        guard count > 0, bytes[count - 1] == UInt8(ascii: "\n") else { return [] }
        return String(decoding: bytes[..<(count - 1)], as: UTF8.self).split(separator: " ").map(String.init)
    }

    /// Writes the file in place and syncs it. A half-written file proves nothing.
    private static func write(_ text: String, to path: String) throws(JournalFailure) {
        let descriptor = unsafe Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unusable("\(path) cannot be written") }
        defer { Glibc.close(descriptor) }
        let bytes = Array(text.utf8)
        let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
        guard count == bytes.count, fsync(descriptor) == 0 else {
            throw JournalFailure(.cannotWrite, "\(path) cannot be written: \(JournalFailure.words(errno)).")
        }
    }
}
