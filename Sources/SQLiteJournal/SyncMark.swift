internal import Glibc
internal import StateStore

/// A note of how much of the log is known to be on the disk. It is written after each sync and never synced itself: an old note claims less. So a log
/// that reads to a place before the note's was damaged, and commits that were acknowledged are missing.
struct SyncMark: ~Copyable {
    private static let byteCount = 16

    private let descriptor: Int32

    init(_ home: Home) throws(JournalFailure) {
        descriptor = unsafe open(home.syncMark, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unusable("\(home.syncMark) cannot be opened") }
    }

    deinit {
        Glibc.close(descriptor)
    }

    /// Notes that a log is on the disk so far. If that cannot be written, the note stays older, which is true as well.
    borrowing func note(_ extent: LogExtent) {
        let words = [extent.salt.littleEndian, UInt64(extent.frames).littleEndian]
        _ = unsafe words.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, Self.byteCount, 0) }
    }

    /// The damage of a log that ends before the note says; nil if there is none.
    static func damage(in home: Home) throws(JournalFailure) -> JournalFailure? {
        let descriptor = unsafe open(home.syncMark, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { Glibc.close(descriptor) }
        var words: [UInt64] = [0, 0]
        let count = unsafe words.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, byteCount, 0) }
        guard count == byteCount, home.hasLog() else { return nil }
        let (salt, frames) = (UInt64(littleEndian: words[0]), Int(clamping: UInt64(littleEndian: words[1])))
        // The note was read first: a log that goes on meanwhile only grows.
        guard let intact = try LogFile(home, isWritten: false).intactFrames(ofSalt: salt, limit: frames), intact < frames else {
            return nil
        }
        return JournalFailure(
            .damaged,
            "\(home.writeAheadLog) is damaged: frame \(intact + 1) of \(frames) that were synced is not as it was written, so acknowledged commits "
                + "are missing. Restore a copy; or remove \(home.syncMark) to go on without them.")
    }
}
