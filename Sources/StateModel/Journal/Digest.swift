/// A digest of 128 bits (SipHash-1-3), which identifies a value.
package struct Digest: Hashable, Sendable {
    private var v0: UInt64 = 0x736F_6D65_7073_6575
    private var v1: UInt64 = 0x646F_7261_6E64_6F6D ^ 0xEE
    private var v2: UInt64 = 0x6C79_6765_6E65_7261
    private var v3: UInt64 = 0x7465_6462_7974_6573

    private init(_ key: DigestKey) {
        v0 ^= key.first
        v1 ^= key.second
        v2 ^= key.first
        v3 ^= key.second
    }

    /// The digest of some bytes under a key.
    package init(_ bytes: [UInt8], _ key: DigestKey) {
        self.init(key)
        let whole = bytes.count & ~7
        bytes.withUnsafeBytes { bytes in
            for offset in stride(from: 0, to: whole, by: 8) {
                take(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            }
        }
        var last = UInt64(truncatingIfNeeded: bytes.count) << 56
        for (index, byte) in bytes[whole...].enumerated() { last |= UInt64(byte) << UInt64(index * 8) }
        take(last)
        finish()
    }

    /// The digest of public bytes, under a constant key.
    package init(_ bytes: [UInt8]) {
        self.init(bytes, DigestKey(0, 0))
    }

    /// The digest of several digests, in their order.
    package init(of digests: [Digest], _ key: DigestKey) {
        self.init(key)
        for digest in digests {
            take(digest.v0)
            take(digest.v1)
        }
        take(UInt64(digests.count) << 56)
        finish()
    }

    /// The digest of a list with a known hash.
    init(ofList hash: UInt128, count: Int, _ key: DigestKey) {
        self.init(key)
        take(UInt64(truncatingIfNeeded: hash))
        take(UInt64(truncatingIfNeeded: hash >> 64))
        // In the digest of bytes with as many words, the top byte of the last word is their count, at most 23.
        take(UInt64(truncatingIfNeeded: count) | 0xFF << 56)
        finish()
    }

    /// The two words of the digest.
    package var words: (UInt64, UInt64) { (v0, v1) }

    /// The digest of lives, in their order.
    package init(of lives: [Life], _ key: DigestKey) {
        self.init(key)
        for life in lives {
            take(life.era)
            take(UInt64(truncatingIfNeeded: life.count))
        }
        finish()
    }

    private mutating func take(_ word: UInt64) {
        v3 ^= word
        round()
        v0 ^= word
    }

    /// Leaves the digest in the first two words.
    private mutating func finish() {
        v2 ^= 0xEE
        for _ in 0..<3 { round() }
        let first = v0 ^ v1 ^ v2 ^ v3
        v1 ^= 0xDD
        for _ in 0..<3 { round() }
        (v0, v1, v2, v3) = (first, v0 ^ v1 ^ v2 ^ v3, 0, 0)
    }

    private mutating func round() {
        v0 &+= v1
        v1 = v1 << 13 | v1 >> 51
        v1 ^= v0
        v0 = v0 << 32 | v0 >> 32
        v2 &+= v3
        v3 = v3 << 16 | v3 >> 48
        v3 ^= v2
        v0 &+= v3
        v3 = v3 << 21 | v3 >> 43
        v3 ^= v0
        v2 &+= v1
        v1 = v1 << 17 | v1 >> 47
        v1 ^= v2
        v2 = v2 << 32 | v2 >> 32
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Returns true if `tag` can contain this byte.
    package static func isCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 65...90, 97...122, 48...57, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    /// The number of characters of `tag`, and of `shortTag`.
    package static let (tagLength, shortTagLength) = (22, 11)

    /// The digest as a tag of 22 letters, digits, `-` and `_`.
    package var tag: String { Self.text(v0, v1) }

    /// The first 64 bits as a tag of 11 characters.
    package var shortTag: String { Self.text(v0) }

    private static func text(_ words: UInt64...) -> String {
        String(unsafeUninitializedCapacity: 11 * words.count) { buffer in
            for (place, word) in words.enumerated() {
                for index in 0..<11 { buffer[11 * place + index] = alphabet[Int(word >> UInt64(index * 6) & 63)] }
            }
            return 11 * words.count
        }
    }
}
