/// Eight bytes that are looked at together, the first of them in the lowest place.
///
/// What looks for bytes of some kind answers with *marks*: the highest bit of each byte that is of the kind. The lowest mark is always right; above it a byte
/// may be marked that is not, because what a subtraction borrows or an addition carries goes upwards.
struct Word {
    private let bits: UInt64

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highest: UInt64 = 0x8080_8080_8080_8080

    /// The bytes from a position on. Past the end there are zeros, which may stand nowhere in a head: whatever goes through words stops there.
    @inline(__always)
    init(_ bytes: Span<UInt8>, at position: Int) {
        if position <= bytes.count - 8 {
            bits = bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt64.self)
        } else {
            bits = Self.last(bytes, position)
        }
    }

    private static func last(_ bytes: Span<UInt8>, _ position: Int) -> UInt64 {
        guard bytes.count < 8 else {
            // The last eight, without those that come before the position; none of them where that is past the end.
            let all = bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: bytes.count - 8, as: UInt64.self)
            return all >> UInt64(8 * (position - bytes.count + 8))
        }
        var bits: UInt64 = 0
        for index in (min(position, bytes.count)..<bytes.count).reversed() { bits = bits << 8 | UInt64(bytes[index]) }
        return bits
    }

    /// Bytes that cannot be seen: controls, spaces, and those beyond ASCII.
    @inline(__always)
    var invisible: UInt64 { ((bits &- 0x21 &* Self.ones) & ~bits | (bits &+ Self.ones) | bits) & Self.highest }

    /// Bytes below the space, and the one called delete.
    @inline(__always)
    var controls: UInt64 { (bits &- 0x20 &* Self.ones) & ~bits & Self.highest | of(0x7F) }

    /// Bytes that are a certain one.
    @inline(__always)
    func of(_ byte: UInt8) -> UInt64 {
        let differences = bits ^ UInt64(byte) &* Self.ones
        return (differences &- Self.ones) & ~differences & Self.highest
    }

    /// Whether the first bytes are those of a text, of eight at the most.
    @inline(__always)
    func starts(with text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        var other: UInt64 = 0
        for index in 0..<count { other |= UInt64(text.utf8Start[index]) << UInt64(8 * index) }
        return (bits ^ other) << UInt64(64 - 8 * count) == 0
    }

    /// Where the lowest of some marks stands, counted in bytes.
    @inline(__always)
    static func place(_ marks: UInt64) -> Int { marks.trailingZeroBitCount >> 3 }
}
