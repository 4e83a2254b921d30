internal import Glibc
internal import StateStore

/// The file `life` in the directory of a journal, by which a start tells whether the directory is the one that was written last, or a copy.
///
/// A copy has everything that the files of a journal say. It does not have their inodes, and nobody can set the time at which an inode changed (`st_ctime`).
/// So each start writes a random number into this file, and keeps in the database that number, the inode and the time of this file, and the inodes of
/// the database and its log. The end of a server writes down here what the database looks like once it is closed. The device is left out: it is
/// another one after a disk was mounted anew.
struct LifeFile {
    private static let open = "open"
    private static let closed = "closed"
    /// More than what is ever written.
    private static let bytesLimit = 256

    private let home: Home
    /// The words that were in the file,
    private let found: [String]
    /// the proof that a journal would have that was killed and left as it was,
    private let whileOpen: String?
    /// and how this file and the database looked.
    private let own: Look?
    private let database: Look?

    /// Looks at the files as they are before the database is opened, which makes a log where there is none.
    init(_ home: Home) {
        self.home = home
        found = Self.read(home.life)
        // A log in which nothing was written is not that of a server that had begun: somebody looked at a database that had none.
        let hasLog = (Look(home.writeAheadLog)?.size ?? 0) > 0
        // A directory whose note of synced frames was removed may lack acknowledged commits.
        let hasMark = Look(home.syncMark) != nil
        whileOpen = found.count == 2 && hasLog && hasMark ? Self.proof(found[1], home) : nil
        own = Look(home.life)
        database = Look(home.database)
    }

    /// The inode of a file, its size, and the time at which it changed, in nanoseconds; nil where there is no such file.
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

    /// Returns true if nothing was put in the place of the files since `proof` was kept.
    func proves(_ proof: String, isClosed: Bool) -> Bool {
        guard isClosed else { return found.first == Self.open && proof == whileOpen }
        guard found.first == Self.closed, found.count == 5, let own, let database else { return false }
        let kept = proof.split(separator: " ").map(String.init)
        return kept.count == 5 && kept[0] == found[1] && kept[1] == "\(own.inode)" && kept[3] == "\(database.inode)"
            && found.dropFirst(2).joined(separator: " ") == database.words
    }

    /// Writes another number, and says what the database is to keep as a proof.
    func begin() throws(JournalFailure) -> String {
        let nonce = String(UInt64.random(in: .min ... .max), radix: 36)
        try Self.write("\(Self.open) \(nonce)\n", to: home.life)
        // The entry of the directory, which may be new.
        try home.sync()
        guard let proof = Self.proof(nonce, home) else { throw .unusable("\(home.directory) cannot be looked at") }
        return proof
    }

    /// Writes down what the database looks like, now that it is closed.
    static func end(_ home: Home) throws(JournalFailure) {
        guard let nonce = read(home.life).dropFirst().first, let database = Look(home.database) else { return }
        try write("\(closed) \(nonce) \(database.words)\n", to: home.life)
    }

    private static func proof(_ nonce: String, _ home: Home) -> String? {
        guard let own = Look(home.life), let database = Look(home.database), let log = Look(home.writeAheadLog) else { return nil }
        return "\(nonce) \(own.inode) \(own.changed) \(database.inode) \(log.inode)"
    }

    /// The words in the file; none where there is no file, or not a whole one.
    private static func read(_ path: String) -> [String] {
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { Glibc.close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: bytesLimit)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
        guard count > 0, bytes[count - 1] == UInt8(ascii: "\n") else { return [] }
        return String(decoding: bytes[..<(count - 1)], as: UTF8.self).split(separator: " ").map(String.init)
    }

    /// Writes it in place and syncs it: what a crash leaves half written proves nothing.
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
