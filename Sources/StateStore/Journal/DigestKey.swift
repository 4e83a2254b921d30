/// The key of the digests that are shown to clients: without it nobody can tell from a tag, or from the time that a
/// comparison takes, what the value is.
public struct DigestKey: Hashable, Sendable {
    /// Its first 64 bits.
    public let first: UInt64
    /// Its last 64 bits.
    public let second: UInt64

    /// A key of 128 bits.
    public init(_ first: UInt64, _ second: UInt64) {
        self.first = first
        self.second = second
    }

    /// A new key.
    public static func random() -> DigestKey {
        DigestKey(UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
    }
}
