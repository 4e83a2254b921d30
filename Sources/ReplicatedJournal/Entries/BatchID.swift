/// The identity of an entry, chosen at random by the node that appends it. The parts of a batch share one.
package struct BatchID: Hashable, Sendable {
    /// The first 64 bits.
    package let first: UInt64
    /// The last 64 bits.
    package let second: UInt64

    /// An identity of 128 bits.
    package init(first: UInt64, second: UInt64) {
        self.first = first
        self.second = second
    }

    /// Returns a new random identity.
    package static func random() -> BatchID {
        BatchID(first: .random(in: .min ... .max), second: .random(in: .min ... .max))
    }

    /// Returns a new random identity of a generator.
    package static func random(using generator: inout some RandomNumberGenerator) -> BatchID {
        BatchID(first: generator.next(), second: generator.next())
    }
}
