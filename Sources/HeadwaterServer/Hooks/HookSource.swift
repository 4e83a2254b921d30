import JSON
import StateStore

/// The commits of a space, or the values of a view, that a hook delivers.
enum HookSource: Hashable, Sendable {
    /// The commits whose action matches one of the patterns: `cart/add`, `cart/*` or `*`.
    case changes([String])
    /// The changes of a view's value.
    case view(String)

    /// The greatest number of patterns of a hook.
    static let patternsLimit = 50
    /// The greatest length of a pattern, and of a view's name, in bytes.
    static let textBytesLimit = 512
    /// The feature that keeps hooks. Its commits are not delivered: a delivery would be the cause of the next one.
    static let ownFeature = "hooks"

    /// Returns true if the commits of an action are delivered.
    func hasCommits(of action: String) -> Bool {
        guard case .changes(let patterns) = self else { return false }
        let feature = action.prefix { $0 != "/" }
        guard feature != Self.ownFeature else { return false }
        return patterns.contains { $0 == "*" || $0 == action || ($0.hasSuffix("/*") && $0.dropLast(2) == feature) }
    }

    /// Returns true if a text is a pattern of actions.
    static func isPattern(_ text: String) -> Bool {
        if text == "*" { return true }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 2 && text.utf8.count <= textBytesLimit && isName(parts[0])
            && (parts[1] == "*" || isName(parts[1]))
    }

    private static func isName(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                    || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            }
    }

    /// The source as a client writes it.
    var json: JSON {
        switch self {
        case .changes(let patterns): ["changes": .array(patterns.map { .string($0) })]
        case .view(let view): ["view": .string(view)]
        }
    }
}
