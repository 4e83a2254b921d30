/// The path to a value in a JSON document (RFC 6901).
public struct JSONPointer: Hashable, Sendable {
    /// The member names and array positions from the root; empty for the whole document.
    public var tokens: [String]

    /// Creates a pointer to the whole document, or to the value at the end of `tokens`.
    @inlinable
    public init(_ tokens: [String] = []) { self.tokens = tokens }

    /// Reads a pointer from its text; nil if the text neither is empty nor starts with a slash, or if `~` precedes
    /// anything but `0` or `1` (RFC 6901 §3).
    public init?(text: String) {
        guard text.utf8.first ?? UInt8(ascii: "/") == UInt8(ascii: "/") else { return nil }
        tokens = []
        var token: [UInt8] = []
        var isAfterTilde = false
        for byte in text.utf8.dropFirst() {
            switch (isAfterTilde, byte) {
            case (true, UInt8(ascii: "0")): token.append(UInt8(ascii: "~"))
            case (true, UInt8(ascii: "1")): token.append(UInt8(ascii: "/"))
            case (true, _): return nil
            case (false, UInt8(ascii: "~")): break
            case (false, UInt8(ascii: "/")):
                tokens.append(String(decoding: token, as: UTF8.self))
                token.removeAll(keepingCapacity: true)
            case (false, _): token.append(byte)
            }
            isAfterTilde = !isAfterTilde && byte == UInt8(ascii: "~")
        }
        guard !isAfterTilde else { return nil }
        if !text.isEmpty { tokens.append(String(decoding: token, as: UTF8.self)) }
    }

    /// Returns this path with one more token.
    package func appending(_ token: String) -> JSONPointer { JSONPointer(tokens + [token]) }
}

extension JSONPointer: CustomStringConvertible {
    /// The pointer as text: each token after a slash, `~` as `~0` and `/` as `~1` (RFC 6901 §3).
    public var description: String {
        var text = ""
        for token in tokens {
            text += "/"
            for character in token.unicodeScalars {
                switch character {
                case "~": text += "~0"
                case "/": text += "~1"
                default: text.unicodeScalars.append(character)
                }
            }
        }
        return text
    }
}
