/// The source of a generator's decisions: a seed, or the bytes of a fuzzer.
package struct Entropy {
    private var state: UInt64
    private var bytes: ArraySlice<UInt8>?

    /// Decisions from a seed (SplitMix64).
    package init(seed: UInt64) {
        state = seed
    }

    /// Decisions from bytes, and from their digest once all are used.
    package init(bytes: ArraySlice<UInt8>) {
        state = UInt64(bytes.count)
        self.bytes = bytes
    }

    /// The next 64 bits.
    package mutating func next() -> UInt64 {
        var mixed: UInt64 = 0
        if let rest = bytes, !rest.isEmpty {
            for byte in rest.prefix(2) { mixed = mixed << 8 | UInt64(byte) }
            bytes = rest.dropFirst(2)
            // Two bytes decide most things; a greater decision takes the rest from the digest.
            if mixed > 255 { state = state &+ mixed }
            return mixed &* 0x9E37_79B9_7F4A_7C15
        }
        state &+= 0x9E37_79B9_7F4A_7C15
        mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// A number from 0 to `count` - 1.
    package mutating func below(_ count: Int) -> Int { Int((next() >> 16) % UInt64(max(1, count))) }

    /// Returns one of the elements.
    package mutating func one<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }

    /// True once in `count` times.
    package mutating func isOne(in count: Int) -> Bool { below(count) == 0 }

    /// Returns any byte.
    package mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next() >> 24) }
}
