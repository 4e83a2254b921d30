/// A text with access by code points.
struct CodePoints {
    let bytes: [UInt8]
    let count: Int

    init(_ text: String) {
        bytes = Array(text.utf8)
        count = bytes.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
    }

    /// Returns the byte offset of a code point. The offset after the last code point is the number of bytes.
    func offset(of index: Int) -> Int {
        if count == bytes.count { return index }
        var left = index
        for (place, byte) in bytes.enumerated() where byte & 0xC0 != 0x80 {
            if left == 0 { return place }
            left -= 1
        }
        return bytes.count
    }

    /// Returns the index of the code point at a byte offset.
    func index(at offset: Int) -> Int {
        bytes[..<offset].reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
    }

    /// Returns the text of a range of code points.
    func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[offset(of: range.lowerBound)..<offset(of: range.upperBound)], as: UTF8.self)
    }
}

/// Search for a byte sequence in linear time.
enum ByteSearch {
    static func first(_ part: UnsafeBufferPointer<UInt8>, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        guard part.count <= bytes.count else { return nil }
        // With few bytes, a comparison at each offset is faster than the preparation.
        guard part.count * bytes.count > 1_024 else {
            return (0...bytes.count - part.count).first { start in
                var length = 0
                while length < part.count, bytes[start + length] == part[length] { length += 1 }
                return length == part.count
            }
        }
        return prepared(part, in: bytes)
    }

    /// Knuth–Morris–Pratt search: no byte is read twice.
    private static func prepared(_ part: UnsafeBufferPointer<UInt8>, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        // The length of the longest proper prefix of the part that is also a suffix of its first `place + 1` bytes.
        var borders = [Int](repeating: 0, count: part.count)
        var length = 0
        for place in part.indices.dropFirst() {
            while length > 0, part[place] != part[length] { length = borders[length - 1] }
            if part[place] == part[length] { length += 1 }
            borders[place] = length
        }
        length = 0
        for place in bytes.indices {
            while length > 0, bytes[place] != part[length] { length = borders[length - 1] }
            if bytes[place] == part[length] { length += 1 }
            if length == part.count { return place + 1 - length }
        }
        return nil
    }

    /// Returns the first match as an index of the slice.
    static func first(_ part: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        bytes.withUnsafeBufferPointer { bytes in part.withUnsafeBufferPointer { first($0, in: bytes) } }.map {
            $0 + bytes.startIndex
        }
    }

    /// Returns the last match: the first match in the reversed bytes.
    static func last(_ part: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        let turned = Array(bytes.reversed())
        return first(Array(part.reversed()), in: turned[...]).map { bytes.startIndex + turned.count - $0 - part.count }
    }
}
