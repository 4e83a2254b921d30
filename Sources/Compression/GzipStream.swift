/// The state of one reader's gzip stream: the checksum of the frames that the reader received.
///
/// The reader receives `header`, then the bytes of each appended frame, then those of `finish`. Together they are one gzip
/// member (RFC 1952).
package struct GzipStream: Sendable {
    /// The first bytes of every member: deflate, no flags, no time, Unix (RFC 1952 §2.3).
    package static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]

    private var checksum = CRC32()

    /// The start of a stream.
    package init() {}

    /// Returns the bytes to send for a frame, which all readers share. Each frame must be sent whole.
    package mutating func append(_ frame: DeflatedFrame) -> [UInt8] {
        checksum.append(frame.checksum, frame.shift)
        return frame.bytes
    }

    /// Returns the bytes to send at the end: an empty last block and the trailer.
    package consuming func finish() -> [UInt8] {
        // A final block with fixed codes that holds only its end (RFC 1951 §3.2.6).
        var bytes: [UInt8] = [0x03, 0x00]
        bytes.appendTrailer(checksum: checksum)
        return bytes
    }
}

extension [UInt8] {
    /// Appends the trailer of a gzip member: CRC-32 and length, both little-endian.
    mutating func appendTrailer(checksum: CRC32) {
        for word in [checksum.crc, checksum.length] {
            for shift in stride(from: 0, to: 32, by: 8) { append(UInt8(truncatingIfNeeded: word >> shift)) }
        }
    }
}
