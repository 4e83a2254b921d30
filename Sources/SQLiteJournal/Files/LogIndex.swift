/// The index of the write-ahead log in the memory that all connections share (sqlite.org/walformat.html, 2.1), in the
/// byte order of the machine.
@safe
struct LogIndex {
    /// The size of its first region.
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

    /// The valid frames of the log. It is stable only for a connection that holds the write lock.
    var extent: LogExtent {
        let first = word(Self.checksumOffset)
        let second = word(Self.checksumOffset + 4)
        // The salt is copied from the log as it is written there.
        let salt = UInt64(word(Self.saltOffset).bigEndian) << 32 | UInt64(word(Self.saltOffset + 4).bigEndian)
        return LogExtent(salt: salt, frames: Int(word(Self.framesOffset)), checksum: LogChecksum(first, second))
    }

    /// Marks every frame as not yet copied to the database, so that the next checkpoint copies each. Precondition: the
    /// caller holds the write lock, and no checkpoint runs.
    mutating func forgetCopies() {
        unsafe start.storeBytes(of: 0, toByteOffset: Self.copiedOffset, as: UInt32.self)
    }

    private func word(_ offset: Int) -> UInt32 {
        unsafe start.load(fromByteOffset: offset, as: UInt32.self)
    }
}

/// The valid frames of a write-ahead log.
struct LogExtent: Equatable {
    /// The salt of this log's frames.
    let salt: UInt64
    /// The number of frames.
    let frames: Int
    /// The checksum of the last frame, which covers all.
    let checksum: LogChecksum
}
