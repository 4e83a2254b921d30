/// The decoder for a string with escapes (RFC 8259 §7). Precondition: the bytes between the escapes are valid UTF-8.
struct Unescaper: ~Escapable {
    let reader: JSONReader
    var position: Int
    let end: Int

    @_lifetime(copy reader)
    init(reader: JSONReader, position: Int, end: Int) {
        self.reader = reader
        self.position = position
        self.end = end
    }

    mutating func text() throws(JSONError) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(end - position)
        while position < end {
            let byte = reader.bytes[position]
            if byte == UInt8(ascii: "\\") {
                try escape(into: &result)
            } else {
                result.append(byte)
                position += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private mutating func escape(into result: inout [UInt8]) throws(JSONError) {
        let start = position
        // This never reads past the end, because an escaped quotation mark does not end the string.
        let letter = reader.bytes[position + 1]
        position += 2
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(letter)
        case UInt8(ascii: "b"): result.append(0x08)
        case UInt8(ascii: "f"): result.append(0x0C)
        case UInt8(ascii: "n"): result.append(0x0A)
        case UInt8(ascii: "r"): result.append(0x0D)
        case UInt8(ascii: "t"): result.append(0x09)
        case UInt8(ascii: "u"): result.append(contentsOf: String(Character(try scalar(from: start))).utf8)
        default: throw JSONError(.invalidEscape, at: start)
        }
    }

    /// Returns the character of one `\uXXXX`, or of the two that form a surrogate pair.
    private mutating func scalar(from start: Int) throws(JSONError) -> Unicode.Scalar {
        let unit = try codeUnit(from: start)
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xDC00, position + 6 <= end else { throw JSONError(.loneSurrogate, at: start) }
        guard reader.bytes[position] == UInt8(ascii: "\\"), reader.bytes[position + 1] == UInt8(ascii: "u")
        else { throw JSONError(.loneSurrogate, at: start) }
        position += 2
        let low = try codeUnit(from: position - 2)
        guard 0xDC00...0xDFFF ~= low,
            let scalar = Unicode.Scalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + UInt32(low) - 0xDC00)
        else { throw JSONError(.loneSurrogate, at: start) }
        return scalar
    }

    /// Reads four hexadecimal digits.
    private mutating func codeUnit(from start: Int) throws(JSONError) -> UInt16 {
        guard position + 4 <= end else { throw JSONError(.invalidEscape, at: start) }
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = reader.bytes[position].hexDigit else { throw JSONError(.invalidEscape, at: start) }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }
}

extension UInt8 {
    /// The value of a hexadecimal digit.
    fileprivate var hexDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
