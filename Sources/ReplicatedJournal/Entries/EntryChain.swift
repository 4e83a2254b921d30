internal import Ground
internal import StateStore

/// The digest of a lane's entries up to one of them. An entry contains the chain up to itself, so a reader notices an
/// entry that does not follow from what it has applied.
public struct EntryChain: Hashable, Sendable {
    /// The chain before the first entry.
    public static let beginning = EntryChain(first: 0, second: 0)
    /// The number of bytes of a chain.
    public static let length = 16

    /// The first 64 bits.
    public let first: UInt64
    /// The last 64 bits.
    public let second: UInt64

    /// A chain of 128 bits.
    public init(first: UInt64, second: UInt64) {
        self.first = first
        self.second = second
    }

    /// Returns the chain up to an entry with these bytes, which lack the chain itself.
    func following(_ content: some Sequence<UInt8>) -> EntryChain {
        var writer = EntryWriter()
        writer.word(first)
        writer.word(second)
        writer.append(content)
        let words = Digest(writer.bytes).words
        return EntryChain(first: words.0, second: words.1)
    }
}
