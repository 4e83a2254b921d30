/// JSON with comments and trailing commas, as people write it in files.
package enum CommentedJSON {
    /// Returns a text of the same length without its comments and its trailing commas: spaces stand in their place, and
    /// each line end stays. So an offset in the result is the offset in the text. A block comment without an end stays,
    /// and so does a comma without a value before it: both are faults of the result.
    package static func plain(_ text: [UInt8]) -> [UInt8] {
        guard text.contains(slash) || text.contains(comma) else { return text }
        var plain = text
        var index = 0
        /// The last comma, if only white space and comments have followed it.
        var pending: Int?
        /// The last byte that is neither white space nor part of a comment.
        var last: UInt8 = 0
        while index < text.count {
            switch text[index] {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            case quote:
                index = endOfString(text, from: index)
                (pending, last) = (nil, quote)
            case slash:
                guard let end = endOfComment(text, from: index) else { return plain }
                for place in index..<end where text[place] != 0x0A && text[place] != 0x0D { plain[place] = 0x20 }
                index = end
            case comma:
                pending =
                    [0, comma, UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: ":")].contains(last) ? nil : index
                last = comma
                index += 1
            case let byte:
                if byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}"), let pending { plain[pending] = 0x20 }
                (pending, last) = (nil, byte)
                index += 1
            }
        }
        return plain
    }

    private static let slash = UInt8(ascii: "/")
    private static let comma = UInt8(ascii: ",")
    private static let quote = UInt8(ascii: "\"")
    private static let star = UInt8(ascii: "*")

    /// Returns the index after the string that begins at `start`, or the end of the text.
    private static func endOfString(_ text: [UInt8], from start: Int) -> Int {
        var index = start + 1
        while index < text.count, text[index] != quote {
            index += text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index + 1, text.count)
    }

    /// Returns the index after the comment that begins at `start`; nil if there is none, or if it does not end.
    private static func endOfComment(_ text: [UInt8], from start: Int) -> Int? {
        guard start + 1 < text.count else { return nil }
        if text[start + 1] == slash {
            return text[start...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? text.count
        }
        guard text[start + 1] == star else { return nil }
        var index = start + 2
        while index + 1 < text.count {
            if text[index] == star, text[index + 1] == slash { return index + 2 }
            index += 1
        }
        return nil
    }
}
