/// The way to a place in a JSON document (RFC 6901).
public struct JSONPointer: Hashable, Sendable {
    /// Member names and array positions from the outermost in; none for the whole document.
    public var tokens: [String]

    /// The whole document, or the place that these names and positions lead to.
    @inlinable
    public init(_ tokens: [String] = []) { self.tokens = tokens }

    /// The same way and one step more.
    public func appending(_ token: String) -> JSONPointer { JSONPointer(tokens + [token]) }
}

extension JSONPointer: CustomStringConvertible {
    /// The pointer as a string: each token after a slash, `~` as `~0` and `/` as `~1` (RFC 6901 §3).
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
