internal import Ground

/// The name of a space: a letter or a digit, then up to 127 letters, digits, `.`, `_` or `-`.
public struct SpaceName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The name as it is written.
    public let description: String
    /// A digest of the name (FNV-1a): it is looked up far more often than it is made, and decides which home a space
    /// has.
    let digest: UInt64

    /// The longest that a name may be.
    public static let lengthLimit = 128

    /// The space whose state every other may derive from.
    public static let common = SpaceName(unchecked: "common")

    /// No name that a client can send: it names the instance that stands for all spaces that were never written.
    static let unwritten = SpaceName(unchecked: "")

    /// The space that `text` names; nil where it cannot be a name.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.lengthLimit, let first = text.utf8.first, Self.isAlphanumeric(first) else {
            return nil
        }
        guard
            text.utf8.allSatisfy({
                Self.isAlphanumeric($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
            })
        else { return nil }
        self.init(unchecked: text)
    }

    private init(unchecked text: String) {
        description = text
        digest = FNV1a(text.utf8).value
    }

    /// Two names are one where they are written alike.
    public static func == (one: SpaceName, other: SpaceName) -> Bool {
        one.digest == other.digest && one.description == other.description
    }

    /// Adds the digest.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(digest)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    /// In the order of their bytes.
    public static func < (one: SpaceName, other: SpaceName) -> Bool {
        one.description.utf8.lexicographicallyPrecedes(other.description.utf8)
    }
}
