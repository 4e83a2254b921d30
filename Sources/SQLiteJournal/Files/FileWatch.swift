internal import Ground
internal import Glibc
internal import StateStore

/// The identities of the database and the log when the journal was opened. If they are removed or replaced while the
/// server runs, commits go to files that no later start finds.
struct FileWatch {
    /// The time between two checks.
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

    private let files: [(path: String, identity: FileIdentity?)]
    private var nextLook: Int64 = 0

    init(_ folder: JournalDirectory) {
        files = [folder.database, folder.writeAheadLog].map { ($0, FileIdentity($0)) }
    }

    /// Checks the files if the last check was at least a second ago. Throws if a file was removed or replaced.
    mutating func lookInTime() throws(JournalFailure) {
        let now = MonotonicTime.now
        guard now >= nextLook else { return }
        try look()
        nextLook = now + Self.pauseNanoseconds
    }

    /// Throws if a file was removed or replaced.
    func look() throws(JournalFailure) {
        for (path, identity) in files where FileIdentity(path) != identity {
            throw JournalFailure(
                .cannotWrite,
                "\(path) was removed or replaced while the server runs. Put it back, or end the server and start it on a restored copy."
            )
        }
    }
}
