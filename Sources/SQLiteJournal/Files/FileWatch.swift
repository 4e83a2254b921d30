internal import CLinux
internal import Glibc
internal import Platform
internal import StateStore

/// The database and the log as they were when the journal was opened. If they are removed or replaced while the server
/// runs, commits go to files that no later start finds.
///
/// A removed file has no link any more. Two calls of `fstat` see that, so the writer looks before and after each
/// commit. A moved or replaced file has a link, so each second the watch also compares the paths.
struct FileWatch: ~Copyable {
    /// The time between two comparisons of the paths.
    static let pauseNanoseconds: Int64 = 1_000_000_000

    private struct FileIdentity: Equatable {
        let device: UInt
        let number: UInt

        /// The file at a path; nil if it does not exist.
        init?(_ path: String) {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return nil }
            device = UInt(status.st_dev)
            number = UInt(status.st_ino)
        }
    }

    private let files: [(path: String, identity: FileIdentity?, descriptor: Int32)]
    private var nextLook: Int64 = 0

    init(_ folder: JournalDirectory) {
        files = [folder.database, folder.writeAheadLog].map { path in
            // The end of an ordinary descriptor would release SQLite's locks of the database.
            (path, FileIdentity(path), unsafe open_to_look(path))
        }
    }

    deinit {
        for file in files where file.descriptor >= 0 { Glibc.close(file.descriptor) }
    }

    /// Checks the links, and the paths if their last check was at least a second ago. Throws if a file was removed or
    /// replaced.
    mutating func lookInTime() throws(JournalFailure) {
        if let path = unlinked { throw Self.failure(path) }
        let now = MonotonicTime.now
        guard now >= nextLook else { return }
        try look()
        nextLook = now + Self.pauseNanoseconds
    }

    /// Throws if a file was removed or replaced.
    func look() throws(JournalFailure) {
        if let path = unlinked { throw Self.failure(path) }
        for file in files where FileIdentity(file.path) != file.identity { throw Self.failure(file.path) }
    }

    /// Throws if a commit that has just been made went to a file that is removed: no later start finds it.
    func lookAfterCommit() throws(JournalFailure) {
        guard let path = unlinked else { return }
        throw JournalFailure(
            .outcomeUnknown,
            "\(path) was removed while the server runs, and a commit went to the removed file. \(Self.remedy)")
    }

    /// The path of a file that has no link; nil if there is none. No file gets a link back.
    private var unlinked: String? {
        for file in files {
            var status = stat()
            guard unsafe fstat(file.descriptor, &status) == 0, status.st_nlink > 0 else { return file.path }
        }
        return nil
    }

    private static let remedy =
        "Put it back, or end the server and start it on a restored copy."

    private static func failure(_ path: String) -> JournalFailure {
        JournalFailure(.cannotWrite, "\(path) was removed or replaced while the server runs. \(remedy)")
    }
}
