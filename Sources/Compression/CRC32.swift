internal import CZlib

/// The CRC-32 and the length of some content, as the trailer of a gzip member has them (RFC 1952 §2.3.1).
struct CRC32: Hashable, Sendable {
    /// The CRC-32 of the content.
    private(set) var crc: UInt32 = 0
    /// The number of bytes, modulo 2³².
    private(set) var length: UInt32 = 0

    /// The checksum of no bytes.
    init() {}

    /// Computes the checksum of content in parts.
    init(of parts: some Sequence<[UInt8]>) {
        for part in parts {
            // zlib takes a missing address for a request of the first value.
            guard !part.isEmpty else { continue }
            crc = unsafe part.withUnsafeBufferPointer {
                unsafe UInt32(truncatingIfNeeded: crc32_z(UInt(crc), $0.baseAddress, $0.count))
            }
            length &+= UInt32(truncatingIfNeeded: part.count)
        }
    }

    /// Returns true if content in gzip is one member that ends with this checksum.
    func isTrailer(of gzip: [UInt8]) -> Bool {
        guard gzip.count >= 18, gzip[0] == 0x1F, gzip[1] == 0x8B else { return false }
        let trailer = (0..<8).map { UInt8(truncatingIfNeeded: ($0 < 4 ? crc : length) >> UInt32(8 * ($0 % 4))) }
        return gzip.suffix(8).elementsEqual(trailer)
    }

    /// Becomes the checksum of this content and the content of `other` after it. `shift` is `other`'s.
    mutating func append(_ other: CRC32, _ shift: Shift) {
        crc = UInt32(truncatingIfNeeded: crc32_combine_op(UInt(crc), UInt(other.crc), shift.factor))
        length &+= other.length
    }

    /// The factor by which a CRC-32 grows when a number of bytes follows. It depends on that number only, so it is
    /// computed once for a frame, and each reader then pays one multiplication of polynomials.
    struct Shift: Hashable, Sendable {
        fileprivate let factor: UInt

        /// Computes the factor for a number of bytes.
        init(byteCount: Int) { factor = UInt(crc32_combine_gen(byteCount)) }
    }
}
