/// The key of the digests that clients see. Without the key, neither a tag nor the duration of a comparison reveals the
/// value.
package struct DigestKey: Hashable, Sendable {
    /// The first 64 bits.
    package let first: UInt64
    /// The last 64 bits.
    package let second: UInt64

    /// A key of 128 bits.
    package init(_ first: UInt64, _ second: UInt64) {
        self.first = first
        self.second = second
    }

    /// Returns a new random key.
    package static func random() -> DigestKey {
        DigestKey(UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
    }
}
