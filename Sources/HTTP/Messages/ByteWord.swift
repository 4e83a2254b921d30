/// Eight bytes that are searched in parallel. The first byte has the lowest position.
///
/// A search returns *marks*: the highest bit of each byte that matches. The lowest mark is always correct. A byte above
/// it can be marked wrongly, because the borrow of a subtraction or the carry of an addition moves upwards.
struct ByteWord {
    private let bits: UInt64

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highest: UInt64 = 0x8080_8080_8080_8080

    /// Loads the bytes from `position` on. Beyond the end it loads zeros, which a head never contains, so every search
    /// stops there.
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
            // The last eight bytes, shifted so that those before the position fall out; 0 if the position is beyond the
            // end.
            let all = bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: bytes.count - 8, as: UInt64.self)
            return all >> UInt64(8 * (position - bytes.count + 8))
        }
        var bits: UInt64 = 0
        for index in (min(position, bytes.count)..<bytes.count).reversed() { bits = bits << 8 | UInt64(bytes[index]) }
        return bits
    }

    /// Marks of bytes that are not visible: controls, spaces and bytes beyond ASCII.
    @inline(__always)
    var invisible: UInt64 { ((bits &- 0x21 &* Self.ones) & ~bits | (bits &+ Self.ones) | bits) & Self.highest }

    /// Marks of bytes below the space, and of 0x7F.
    @inline(__always)
    var controls: UInt64 { (bits &- 0x20 &* Self.ones) & ~bits & Self.highest | of(0x7F) }

    /// Marks of bytes that equal `byte`.
    @inline(__always)
    func of(_ byte: UInt8) -> UInt64 {
        let differences = bits ^ UInt64(byte) &* Self.ones
        return (differences &- Self.ones) & ~differences & Self.highest
    }

    /// Returns true if the first bytes equal `text`. Precondition: `text` has at most eight bytes.
    @inline(__always)
    func starts(with text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        var other: UInt64 = 0
        for index in 0..<count { other |= UInt64(text.utf8Start[index]) << UInt64(8 * index) }
        return (bits ^ other) << UInt64(64 - 8 * count) == 0
    }

    /// Returns the position of the lowest mark, in bytes.
    @inline(__always)
    static func place(_ marks: UInt64) -> Int { marks.trailingZeroBitCount >> 3 }
}
