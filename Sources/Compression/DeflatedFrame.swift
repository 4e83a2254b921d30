/// Content compressed once for any number of gzip streams.
///
/// The bytes are raw deflate blocks (RFC 1951) that refer to nothing before them and end with a full flush, on a byte
/// boundary. So frames concatenate in any order, and a reader can decompress everything up to the end of each frame.
package struct DeflatedFrame: Sendable {
    /// The blocks; none for empty content.
    package let bytes: [UInt8]
    let checksum: CRC32
    let shift: CRC32.Shift

    /// Frames in a row, as one.
    package init(joining frames: some Sequence<DeflatedFrame>, of byteCount: Int) {
        var (bytes, checksum) = ([UInt8](), CRC32())
        for frame in frames {
            bytes += frame.bytes
            checksum.append(frame.checksum, frame.shift)
        }
        (self.bytes, self.checksum) = (bytes, checksum)
        shift = CRC32.Shift(byteCount: byteCount)
    }

    /// The content as one gzip member, for a body.
    package var member: [UInt8] {
        var stream = GzipStream()
        let bytes = stream.append(self)
        return GzipStream.header + bytes + stream.finish()
    }

    init(bytes: [UInt8], of parts: some Collection<[UInt8]>) {
        self.bytes = bytes
        checksum = CRC32(of: parts)
        shift = CRC32.Shift(byteCount: parts.reduce(0) { $0 + $1.count })
    }

    /// The empty stored block that ends every frame. Go's `compress/flate`, and with it Caddy, holds content back until it
    /// reads one.
    private static let flushMarker: [UInt8] = [0, 0, 0, 0xFF, 0xFF]

    /// Holds a few bytes as they are, in a block of their own (RFC 1951 §3.2.4). Precondition: `1...65_535` bytes.
    package init(storing content: [UInt8]) {
        precondition((1...0xFFFF).contains(content.count), "a stored block has 1 to 65,535 bytes")
        let (low, high) = (UInt8(truncatingIfNeeded: content.count), UInt8(content.count >> 8))
        self.init(bytes: [0, low, high, ~low, ~high] + content + Self.flushMarker, of: CollectionOfOne(content))
    }
}
