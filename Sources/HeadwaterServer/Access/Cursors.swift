import StateStore

/// Names of spaces as texts that only this process can read: for clients that may not know the names. A text begins with `~`, which no name does.
struct Cursors: Sendable {
    private static let nonceCount = 8
    private let key = (0..<32).map { _ in UInt8.random(in: .min ... .max) }

    /// A text for a name, another one each time.
    func text(of name: SpaceName) -> String {
        let nonce = (0..<Self.nonceCount).map { _ in UInt8.random(in: .min ... .max) }
        let bytes = nonce + masked(Array(name.description.utf8), nonce)
        return "~" + bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// The name that a text stands for; nil where it stands for none.
    func name(of text: String) -> SpaceName? {
        let digits = text.utf8.dropFirst().compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard text.utf8.first == UInt8(ascii: "~"), digits.count == text.utf8.count - 1, digits.count.isMultiple(of: 2),
            (2 * Self.nonceCount...2 * (Self.nonceCount + SpaceName.lengthLimit)).contains(digits.count)
        else { return nil }
        let bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        return SpaceName(String(decoding: masked(Array(bytes[Self.nonceCount...]), Array(bytes[..<Self.nonceCount])), as: UTF8.self))
    }

    /// Bytes combined with a mask that follows from the key and a nonce. Done twice, it gives the bytes.
    private func masked(_ bytes: [UInt8], _ nonce: [UInt8]) -> [UInt8] {
        let mask = (0..<(bytes.count + 31) / 32).flatMap { SHA256.digest(key + nonce + [UInt8(truncatingIfNeeded: $0)]) }
        return zip(bytes, mask).map { $0 ^ $1 }
    }
}
