extension JSONWriter {
    /// Writes a string, with only the escapes that RFC 8259 §7 requires.
    @inlinable
    public mutating func string(_ value: String) {
        var value = value
        value.withUTF8 { unsafe quoted($0, asName: false) }
    }

    /// Writes a member's name, preceded by a comma if needed and followed by a colon.
    @inlinable
    mutating func name(_ name: String) {
        var name = name
        name.withUTF8 { unsafe quoted($0, asName: true) }
    }

    /// Writes a string in quotation marks; in one step if it needs no escape.
    @usableFromInline
    mutating func quoted(_ utf8: UnsafeBufferPointer<UInt8>, asName: Bool) {
        let needsComma = asName && needsComma
        guard unsafe plainCount(utf8, from: 0) == utf8.count else {
            if needsComma { buffer.append(UInt8(ascii: ",")) }
            unsafe escaped(utf8)
            if asName { buffer.append(UInt8(ascii: ":")) }
            return
        }
        buffer.append(addingCapacity: utf8.count + 4) { output in
            if needsComma { output.append(UInt8(ascii: ",")) }
            output.append(UInt8(ascii: "\""))
            unsafe output.withUnsafeMutableBufferPointer { room, count in
                if let source = utf8.baseAddress, let start = room.baseAddress {
                    unsafe (start + count).initialize(from: source, count: utf8.count)
                    count += utf8.count
                }
            }
            output.append(UInt8(ascii: "\""))
            if asName { output.append(UInt8(ascii: ":")) }
        }
    }

    /// Returns the number of bytes from `start` on that need no escape.
    private func plainCount(_ utf8: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var position = start
        while position + 8 <= utf8.count {
            let eight = unsafe UnsafeRawBufferPointer(utf8).loadUnaligned(fromByteOffset: position, as: UInt64.self)
            let plainCount = EightBytes(eight).plainCount
            position += plainCount
            if plainCount < 8 { return position - start }
        }
        while position < utf8.count, unsafe !utf8[position].isMarkedInStrings { position += 1 }
        return position - start
    }

    private mutating func escaped(_ utf8: UnsafeBufferPointer<UInt8>) {
        buffer.append(UInt8(ascii: "\""))
        var position = 0
        while true {
            let end = unsafe position + plainCount(utf8, from: position)
            unsafe buffer.append(contentsOf: utf8[position..<end])
            guard end < utf8.count else { break }
            unsafe escape(utf8[end])
            position = end + 1
        }
        buffer.append(UInt8(ascii: "\""))
    }

    /// Writes the shortest escape of a byte.
    private mutating func escape(_ byte: UInt8) {
        buffer.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: buffer.append(UInt8(ascii: "b"))
        case 0x09: buffer.append(UInt8(ascii: "t"))
        case 0x0A: buffer.append(UInt8(ascii: "n"))
        case 0x0C: buffer.append(UInt8(ascii: "f"))
        case 0x0D: buffer.append(UInt8(ascii: "r"))
        case 0x00..<0x20:
            append("u00")
            buffer.append(UInt8(ascii: "0") + byte >> 4)
            buffer.append(byte & 15 + (byte & 15 < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10))
        default: buffer.append(byte)
        }
    }
}
