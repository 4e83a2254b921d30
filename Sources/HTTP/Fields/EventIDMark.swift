/// A text that a stream puts after each of its ids, so that its server knows the stream again when the client comes back
/// with the last id: a dot and 32 hexadecimal digits. No tag of the server ends in this form.
package struct EventIDMark: Hashable, Sendable {
    /// The number of bytes of a code.
    package static let codeBytes = 16
    /// The number of characters.
    private static let length = 1 + 2 * codeBytes

    /// The text, with the dot.
    package let text: String

    /// The mark of a code. Precondition: the code has `codeBytes` bytes.
    package init(code: [UInt8]) {
        precondition(code.count == Self.codeBytes, "a code of \(code.count) bytes makes no mark")
        text = "." + code.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// Returns true if an id ends with this mark. The duration does not depend on the place of a difference.
    package func ends(_ id: String) -> Bool {
        let (end, own) = (Array(id.utf8.suffix(Self.length)), Array(text.utf8))
        guard end.count == own.count else { return false }
        return zip(end, own).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Returns an id without its mark, if it has one.
    package static func dropped(from id: Substring.UTF8View) -> Substring.UTF8View {
        let end = id.suffix(length)
        guard end.count == length, end.first == UInt8(ascii: "."), end.dropFirst().allSatisfy(isDigit) else {
            return id
        }
        return id.dropLast(length)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
