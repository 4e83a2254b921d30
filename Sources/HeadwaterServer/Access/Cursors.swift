import StateStore

/// Encrypted names of spaces, for clients that must not see the names. Only this process can decrypt them. A text
/// begins with `~`, which no name does.
struct Cursors: Sendable {
    private static let nonceCount = 8
    private let key = (0..<32).map { _ in UInt8.random(in: .min ... .max) }

    /// Encrypts a name; each call returns another text.
    func text(of name: SpaceName) -> String {
        let nonce = (0..<Self.nonceCount).map { _ in UInt8.random(in: .min ... .max) }
        let bytes = nonce + masked(Array(name.description.utf8), nonce)
        return "~" + bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// Decrypts a text; nil if it is not a cursor.
    func name(of text: String) -> SpaceName? {
        let digits = text.utf8.dropFirst().compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard text.utf8.first == UInt8(ascii: "~"), digits.count == text.utf8.count - 1, digits.count.isMultiple(of: 2),
            (2 * Self.nonceCount...2 * (Self.nonceCount + SpaceName.lengthLimit)).contains(digits.count)
        else { return nil }
        let bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        return SpaceName(
            String(decoding: masked(Array(bytes[Self.nonceCount...]), Array(bytes[..<Self.nonceCount])), as: UTF8.self))
    }

    private func masked(_ bytes: [UInt8], _ nonce: [UInt8]) -> [UInt8] {
        Keystream.applied(to: bytes, key: key, nonce: nonce)
    }
}
