/// The layout of a write-ahead log: a header, and frames of a page each (sqlite.org/fileformat2.html, 4.1). Numbers are
/// big-endian.
enum LogFrames {
    static let headerBytes = 32
    static let frameHeaderBytes = 24

    /// The header of a log.
    struct Header {
        let salt: UInt64
        let pageBytes: Int
        let isBigEndian: Bool
        let checksum: LogChecksum

        /// Reads the header; nil if the bytes are not a valid header.
        init?(_ bytes: Span<UInt8>) {
            guard bytes.count >= headerBytes, number(bytes, 0) & ~1 == 0x377F_0682 else { return nil }
            isBigEndian = number(bytes, 0) & 1 == 1
            pageBytes = Int(number(bytes, 8))
            salt = UInt64(number(bytes, 16)) << 32 | UInt64(number(bytes, 20))
            var checksum = LogChecksum(0, 0)
            checksum.add(bytes.extracting(0..<24), isBigEndian: isBigEndian)
            guard checksum == LogChecksum(number(bytes, 24), number(bytes, 28)), pageBytes >= 512,
                pageBytes & (pageBytes - 1) == 0
            else {
                return nil
            }
            self.checksum = checksum
        }

        var frameBytes: Int { frameHeaderBytes + pageBytes }

        /// The offset of a frame; the first is 0.
        func offset(of frame: Int) -> Int { headerBytes + frame * frameBytes }

        /// Adds the next frame to the checksum. Returns false if the frame belongs to another log or is damaged.
        func take(_ frame: Span<UInt8>, _ checksum: inout LogChecksum) -> Bool {
            guard hasSalt(frame) else { return false }
            var next = checksum
            next.add(frame.extracting(0..<8), isBigEndian: isBigEndian)
            next.add(frame.extracting(frameHeaderBytes..<frameBytes), isBigEndian: isBigEndian)
            guard next == LogChecksum(number(frame, 16), number(frame, 20)) else { return false }
            checksum = next
            return true
        }

        /// Returns true if a frame was written to this log, intact or not.
        func hasSalt(_ frame: Span<UInt8>) -> Bool {
            UInt64(number(frame, 8)) << 32 | UInt64(number(frame, 12)) == salt
        }

    }

    /// Returns true if a frame ends a transaction.
    static func isCommit(_ frame: Span<UInt8>) -> Bool { number(frame, 4) != 0 }

    private static func number(_ bytes: Span<UInt8>, _ place: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 << 8 | UInt32(bytes[place + $1]) }
    }
}

/// The checksum of a write-ahead log.
struct LogChecksum: Equatable {
    private var first: UInt32
    private var second: UInt32

    init(_ first: UInt32, _ second: UInt32) {
        self.first = first
        self.second = second
    }

    /// Adds bytes, a multiple of eight.
    mutating func add(_ bytes: Span<UInt8>, isBigEndian: Bool) {
        unsafe bytes.withUnsafeBytes { bytes in
            for place in stride(from: 0, to: bytes.count, by: 8) {
                let one = unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
                let other = unsafe bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
                first &+= (isBigEndian ? one.bigEndian : one.littleEndian) &+ second
                second &+= (isBigEndian ? other.bigEndian : other.littleEndian) &+ first
            }
        }
    }
}
