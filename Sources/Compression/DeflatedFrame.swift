/// Content compressed once for any number of gzip streams.
///
/// The bytes are raw deflate blocks (RFC 1951) that refer to nothing before them and end with a full flush, on a byte
/// boundary. So frames concatenate in any order, and a reader can decompress everything up to the end of each frame.
package struct DeflatedFrame: Sendable {
    /// The blocks; none for empty content.
    package let bytes: [UInt8]
    let checksum: CRC32
    let shift: CRC32.Shift

    init(bytes: [UInt8], content: [UInt8]) {
        self.bytes = bytes
        checksum = CRC32(of: content)
        shift = CRC32.Shift(byteCount: content.count)
    }
}
