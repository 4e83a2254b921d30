/// The index of the write-ahead log, which lies in memory that all connections share (sqlite.org/walformat.html, 2.1): read, and told to copy the
/// log again. Its words are in the order of the machine.
@safe
struct LogIndex {
    /// The bytes of its first region.
    static let regionBytes: Int32 = 32_768

    private static let framesOffset = 16
    private static let checksumOffset = 24
    private static let saltOffset = 32
    private static let copiedOffset = 96

    private let start: UnsafeMutableRawPointer

    @unsafe
    init(_ start: UnsafeMutableRawPointer) {
        unsafe self.start = start
    }

    /// The log as far as it counts. Only a connection that holds the lock for writing sees it at rest.
    var extent: LogExtent {
        let first = word(Self.checksumOffset)
        let second = word(Self.checksumOffset + 4)
        // The salt is copied from the log as it is written there.
        let salt = UInt64(word(Self.saltOffset).bigEndian) << 32 | UInt64(word(Self.saltOffset + 4).bigEndian)
        return LogExtent(salt: salt, frames: Int(word(Self.framesOffset)), checksum: LogChecksum(first, second))
    }

    /// Says that no frame was copied to the database, so that the next checkpoint copies each. Needs the locks for writing and for checkpoints, which
    /// the one process that has the directory holds by its own.
    mutating func forgetCopies() {
        unsafe start.storeBytes(of: 0, toByteOffset: Self.copiedOffset, as: UInt32.self)
    }

    private func word(_ offset: Int) -> UInt32 {
        unsafe start.load(fromByteOffset: offset, as: UInt32.self)
    }
}

/// A beginning of a write-ahead log.
struct LogExtent: Equatable {
    /// The number that only the frames of this log have.
    let salt: UInt64
    /// The number of frames.
    let frames: Int
    /// The checksum behind the last of them, which covers each.
    let checksum: LogChecksum
}
