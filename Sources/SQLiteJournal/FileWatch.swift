internal import Glibc
internal import StateStore

/// The files of a journal as they were when it was opened. Somebody may remove them under the running server, or put others in their place: what is
/// written then goes to files that nobody finds again.
struct FileWatch {
    /// The time between two looks while commits are appended.
    static let pauseNanoseconds = 1_000_000_000

    private struct Identity: Equatable {
        let device: UInt
        let number: UInt

        /// The file that a path names now, nil if there is none.
        init?(_ path: String) {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return nil }
            device = UInt(status.st_dev)
            number = UInt(status.st_ino)
        }
    }

    private let files: [(path: String, identity: Identity?)]
    private var nextLook = 0

    init(_ home: Home) {
        files = [home.database, home.writeAheadLog].map { ($0, Identity($0)) }
    }

    /// Looks again, if that was not done lately. Throws if a file is not the one that was opened.
    mutating func lookInTime() throws(JournalFailure) {
        let now = Bell.now
        guard now >= nextLook else { return }
        try look()
        nextLook = now + Self.pauseNanoseconds
    }

    /// Throws if a file is not the one that was opened.
    func look() throws(JournalFailure) {
        for (path, identity) in files where Identity(path) != identity {
            throw JournalFailure(
                .cannotWrite,
                "\(path) was removed or replaced while the server runs. Put it back, or end the server and start it on a restored copy.")
        }
    }
}
