/// The 64-bit FNV-1a hash: fast on short texts, the same in every process, and not secret. Journals keep its values, so it never changes.
package struct FNV1a: Hashable, Sendable {
    /// The hash of the bytes so far.
    @inlinable package var value: UInt64 { state }

    @usableFromInline var state: UInt64 = 0xCBF2_9CE4_8422_2325

    /// The hash of no bytes.
    @inlinable
    package init() {}

    /// The hash of some bytes.
    @inlinable
    package init(_ bytes: some Sequence<UInt8>) {
        add(bytes)
    }

    /// Adds a byte.
    @inlinable
    package mutating func add(_ byte: UInt8) {
        state = (state ^ UInt64(byte)) &* 0x100_0000_01B3
    }

    /// Adds bytes in their order.
    @inlinable
    package mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { add(byte) }
    }
}
