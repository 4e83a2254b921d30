/// The place of a byte in a text, as an editor shows it.
package struct SourcePlace: Hashable, Sendable {
    /// The characters of the line that are kept on each side of the place.
    private static let charactersLimit = 100

    /// The number of the line, from 1.
    package let line: Int
    /// The number of the character in its line, from 1.
    package let column: Int
    /// The line itself; of a long one the part around the place.
    package let text: String

    /// The place of an offset. That of the end of the text is the end of its last line that is not blank.
    package init(of offset: Int, in bytes: [UInt8]) {
        var place = max(0, min(offset, bytes.count))
        if place == bytes.count {
            while place > 0, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[place - 1]) { place -= 1 }
        }
        var (line, start, index) = (1, 0, 0)
        while index < place {
            // CR LF is one line end.
            if bytes[index] == 0x0A || bytes[index] == 0x0D && (index + 1 == bytes.count || bytes[index + 1] != 0x0A) {
                (line, start) = (line + 1, index + 1)
            }
            index += 1
        }
        let end = bytes[place...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count
        let before = String(decoding: bytes[start..<place], as: UTF8.self)
        let after = String(decoding: bytes[place..<end], as: UTF8.self)
        self.line = line
        column = before.count + 1
        let isCut = before.count > Self.charactersLimit
        text =
            (isCut ? "…" : "") + before.suffix(Self.charactersLimit) + after.prefix(Self.charactersLimit)
            + (after.count > Self.charactersLimit ? "…" : "")
    }
}

extension SourcePlace: CustomStringConvertible {
    /// The line and the column in words.
    package var description: String { "line \(line), column \(column)" }
}
