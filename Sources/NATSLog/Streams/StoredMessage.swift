import JSON

/// A message of a stream, as its leader returns it on request.
struct StoredMessage: Hashable, Sendable {
    /// The number in its stream.
    let number: Int
    /// The payload.
    let bytes: [UInt8]
    /// The time at which it was stored, as text.
    let time: String?

    /// Reads the answer of `STREAM.MSG.GET`.
    init(_ answer: JSON) throws(NATSFault) {
        guard let message = answer["message"], let number = message["seq"]?.count, number > 0,
            let bytes = Self.bytes(message["data"]?.text ?? "")
        else { throw .malformed("not a message of a stream") }
        self.number = number
        self.bytes = bytes
        time = message["time"]?.text
    }

    /// Reads Base64 with padding (RFC 4648, section 4); nil if the text is not that.
    static func bytes(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 4 * 3)
        var word = 0
        var bits = 0
        var letters = 0
        var padding = 0
        for letter in text.utf8 {
            letters += 1
            if letter == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            guard padding == 0, let value = value(of: letter) else { return nil }
            word = word << 6 | value
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(word >> bits & 255))
                word &= (1 << bits) - 1
            }
        }
        return letters % 4 == 0 && padding <= 2 && word == 0 && bits == padding * 2 ? bytes : nil
    }

    private static func value(of letter: UInt8) -> Int? {
        switch letter {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(letter - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(letter - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(letter - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
