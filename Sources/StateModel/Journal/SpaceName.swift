internal import Ground

/// The name of a space: a letter or a digit, then up to 127 letters, digits, `.`, `_` or `-`.
public struct SpaceName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The name as text.
    public let description: String
    /// The FNV-1a digest of the name. It is stored because lookups are more frequent than new names. It selects the
    /// home of the space.
    package let digest: UInt64

    /// The maximum length of a name in bytes.
    package static let lengthLimit = 128

    /// The space `common`, whose state every other space can derive values from.
    public static let common = SpaceName(unchecked: "common")

    /// A name that no client can send. It names the instance that represents all spaces without commits.
    package static let unwritten = SpaceName(unchecked: "")

    /// Creates the name `text`; nil if it is not a valid name.
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

    /// Compares the texts.
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

    /// Orders names by their bytes.
    public static func < (one: SpaceName, other: SpaceName) -> Bool {
        one.description.utf8.lexicographicallyPrecedes(other.description.utf8)
    }
}
