import StateStore

/// A token. The server knows only its digest.
struct Token: Sendable {
    /// The SHA-256 of the secret.
    let digest: [UInt8]
    let right: Right
    /// Patterns of the names of the spaces that the token covers; `*` matches any text.
    let patterns: [String]
    /// True if the token covers all spaces.
    let coversAll: Bool

    init(digest: [UInt8], right: Right, patterns: [String]) {
        self.digest = digest
        self.right = right
        self.patterns = patterns
        coversAll = patterns.contains("*")
    }

    /// Returns true if the token covers the space.
    func covers(_ space: SpaceName) -> Bool {
        coversAll || patterns.contains { Self.matches(Array(space.description.utf8)[...], Array($0.utf8)[...]) }
    }

    private static func matches(_ name: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
        guard let first = pattern.first else { return name.isEmpty }
        if first == UInt8(ascii: "*") {
            return (name.startIndex...name.endIndex).contains { matches(name[$0...], pattern.dropFirst()) }
        }
        return name.first == first && matches(name.dropFirst(), pattern.dropFirst())
    }

    /// Compares digests in constant time.
    func isDigest(_ other: [UInt8]) -> Bool {
        guard digest.count == other.count else { return false }
        return zip(digest, other).reduce(0) { $0 | $1.0 ^ $1.1 } == 0
    }
}
