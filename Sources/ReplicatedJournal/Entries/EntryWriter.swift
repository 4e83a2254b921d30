/// Writes the binary form of entries: integers as base-128 varints, texts and bytes after their length.
struct EntryWriter {
    private(set) var bytes: [UInt8] = []

    mutating func byte(_ byte: UInt8) {
        bytes.append(byte)
    }

    /// Writes 8 bytes, the least significant first.
    mutating func word(_ word: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: word >> shift)) }
    }

    /// Writes a number from 0 on.
    mutating func count(_ count: Int) {
        varint(UInt64(count))
    }

    /// Writes any number, zigzag encoded.
    mutating func signed(_ number: Int64) {
        varint(UInt64(bitPattern: number << 1 ^ number >> 63))
    }

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func bytes(_ added: some Collection<UInt8>) {
        count(added.count)
        bytes += added
    }

    mutating func text(_ text: String) {
        bytes(text.utf8)
    }

    mutating func lane(_ lane: Lane) {
        count(lane.number + 1)
    }

    /// Appends bytes without their length.
    mutating func append(_ added: some Sequence<UInt8>) {
        bytes += added
    }
}
