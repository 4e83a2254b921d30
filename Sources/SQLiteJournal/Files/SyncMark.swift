internal import Glibc
internal import StateStore

/// The number of frames of the log that are known to be on the disk, in the file `synced`. It is written after each
/// sync of a commit and never synced itself, because an old mark is a valid lower bound. If the log ends before the
/// mark, it was damaged and acknowledged commits are missing.
struct SyncMark: ~Copyable {
    private static let byteCount = 16

    private let descriptor: Int32

    init(_ folder: JournalDirectory) throws(JournalFailure) {
        descriptor = unsafe open(folder.syncMark, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unusable("\(folder.syncMark) cannot be opened") }
    }

    deinit {
        Glibc.close(descriptor)
    }

    /// Writes the mark. If that fails, the mark stays at an older value, which is still a valid lower bound.
    borrowing func note(_ extent: LogExtent) {
        let words = [extent.salt.littleEndian, UInt64(extent.frames).littleEndian]
        _ = unsafe words.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, Self.byteCount, 0) }
    }

    /// The part of a log that a mark names.
    struct SyncedPart {
        let salt: UInt64
        let frames: Int
    }

    /// Reads the mark of a directory; nil if there is none.
    static func read(in folder: JournalDirectory) -> SyncedPart? {
        let descriptor = unsafe open(folder.syncMark, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { Glibc.close(descriptor) }
        var words: [UInt64] = [0, 0]
        let count = unsafe words.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, byteCount, 0) }
        guard count == byteCount else { return nil }
        return SyncedPart(salt: UInt64(littleEndian: words[0]), frames: Int(clamping: UInt64(littleEndian: words[1])))
    }

    /// The damage of a log that ends before the mark; nil if there is none.
    static func damage(in folder: JournalDirectory) throws(JournalFailure) -> JournalFailure? {
        guard let mark = read(in: folder), folder.hasLog() else { return nil }
        let frames = mark.frames
        // The mark was read first: a log in use only grows meanwhile.
        guard let intact = try LogFile(folder, isWritten: false).intactFrames(ofSalt: mark.salt, limit: frames),
            intact < frames
        else {
            return nil
        }
        return JournalFailure(
            .damaged,
            "\(folder.writeAheadLog) is damaged: frame \(intact + 1) of \(frames) that were synced is not as it was written, so acknowledged commits "
                + "are missing. Restore a backup, or save what is readable with `headwater repair`; or remove \(folder.syncMark) to go on without them."
        )
    }
}
