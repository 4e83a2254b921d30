internal import Ground
internal import StateStore

/// The digest of a lane's entries up to one of them. An entry contains the chain up to itself, so a reader notices an
/// entry that does not follow from what it has applied.
package struct EntryChain: Hashable, Sendable {
    /// The chain before the first entry.
    package static let beginning = EntryChain(first: 0, second: 0)
    /// The number of bytes of a chain.
    package static let length = 16

    /// The first 64 bits.
    package let first: UInt64
    /// The last 64 bits.
    package let second: UInt64

    /// A chain of 128 bits.
    package init(first: UInt64, second: UInt64) {
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
