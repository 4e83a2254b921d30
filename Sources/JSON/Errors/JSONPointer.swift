/// The path to a value in a JSON document (RFC 6901).
public struct JSONPointer: Hashable, Sendable {
    /// The member names and array positions from the root; empty for the whole document.
    public var tokens: [String]

    /// Creates a pointer to the whole document, or to the value at the end of `tokens`.
    @inlinable
    public init(_ tokens: [String] = []) { self.tokens = tokens }

    /// Returns this path with one more token.
    public func appending(_ token: String) -> JSONPointer { JSONPointer(tokens + [token]) }
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
