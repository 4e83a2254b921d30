/// A checksum of a row, which detects a byte that changed on disk. Journals store its values, so the algorithm never
/// changes.
struct Checksum {
    private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// The sum as a column stores it.
    var value: Int { Int(truncatingIfNeeded: state) }

    mutating func add(_ number: Int) {
        mix(UInt64(truncatingIfNeeded: number))
    }

    /// Adds text and its length, so that bytes cannot move from one column to the next.
    mutating func add(_ text: Span<UInt8>) {
        add(text.count)
        var position = 0
        while position + 8 <= text.count {
            mix(UInt64(littleEndian: unsafe text.bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)))
            position += 8
        }
        var rest: UInt64 = 0
        while position < text.count {
            rest = rest << 8 | UInt64(text[position])
            position += 1
        }
        mix(rest)
    }

    mutating func add(_ text: [UInt8]?) {
        if let text { add(text.span) } else { add(-1) }
    }

    // Each step is invertible, so two rows that differ in one word never have the same sum.
    private mutating func mix(_ word: UInt64) {
        state = (state ^ word) &* 0xFF51_AFD7_ED55_8CCD
        state ^= state >> 32
    }
}
