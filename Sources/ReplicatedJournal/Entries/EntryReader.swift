/// Reads the binary form of entries. No bytes make it trap, or allocate more than their own size.
struct EntryReader {
    private let source: [UInt8]
    private var offset = 0

    init(_ source: [UInt8]) {
        self.source = source
    }

    var isAtEnd: Bool { offset == source.count }

    /// The bytes after those that were read.
    var rest: ArraySlice<UInt8> { source[offset...] }

    mutating func byte() throws(EntryFault) -> UInt8 {
        guard offset < source.count else { throw .malformed }
        defer { offset += 1 }
        return source[offset]
    }

    mutating func word() throws(EntryFault) -> UInt64 {
        var word: UInt64 = 0
        for byte in try take(8).reversed() { word = word << 8 | UInt64(byte) }
        return word
    }

    /// Reads a number from 0 on.
    mutating func number() throws(EntryFault) -> Int {
        guard let number = Int(exactly: try varint()) else { throw .malformed }
        return number
    }

    /// Reads the count of items that take at least `size` bytes each.
    mutating func count(of size: Int) throws(EntryFault) -> Int {
        let count = try number()
        guard count <= (source.count - offset) / size else { throw .malformed }
        return count
    }

    mutating func signed() throws(EntryFault) -> Int64 {
        let value = try varint()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    private mutating func varint() throws(EntryFault) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            let byte = try byte()
            guard shift < 63 || byte <= 1 else { throw .malformed }
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        throw .malformed
    }

    mutating func bytes() throws(EntryFault) -> [UInt8] {
        Array(try take(try number()))
    }

    mutating func text() throws(EntryFault) -> String {
        guard let text = String(validating: try take(try number()), as: UTF8.self) else { throw .malformed }
        return text
    }

    mutating func lane() throws(EntryFault) -> Lane {
        let number = try number()
        guard number <= Lane.limit else { throw .malformed }
        return number == 0 ? .common : Lane(number - 1)
    }

    /// Reads `count` bytes without a length.
    mutating func take(_ count: Int) throws(EntryFault) -> ArraySlice<UInt8> {
        guard count <= source.count - offset else { throw .malformed }
        defer { offset += count }
        return source[offset..<(offset + count)]
    }
}
