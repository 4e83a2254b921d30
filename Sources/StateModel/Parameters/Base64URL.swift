/// Bytes as letters, digits, `-` and `_` (RFC 4648, section 5), without padding.
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Returns the bytes as text.
    package static func text(_ bytes: [UInt8]) -> String {
        var letters: [UInt8] = []
        letters.reserveCapacity((bytes.count * 4 + 2) / 3)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - start)
            var word = 0
            for index in 0..<3 { word = word << 8 | (index < count ? Int(bytes[start + index]) : 0) }
            for index in 0...count { letters.append(alphabet[word >> (18 - 6 * index) & 63]) }
        }
        return String(decoding: letters, as: UTF8.self)
    }

    /// Reads a text; nil if `text` would not write it.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        var word = 0
        var bits = 0
        for letter in text.utf8 {
            guard let value = value(of: letter) else { return nil }
            word = word << 6 | value
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(word >> bits & 255))
                word &= (1 << bits) - 1
            }
        }
        return bits < 6 && word == 0 ? bytes : nil
    }

    private static func value(of letter: UInt8) -> Int? {
        switch letter {
        case 65...90: Int(letter) - 65
        case 97...122: Int(letter) - 71
        case 48...57: Int(letter) + 4
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
