import StateStore

/// A token, of which only the digest is known.
struct Token: Sendable {
    /// Its SHA-256.
    let digest: [UInt8]
    let right: Right
    /// Which spaces it is good for: names, `*` standing for anything.
    let patterns: [String]
    /// Whether it is good for all.
    let coversAll: Bool

    init(digest: [UInt8], right: Right, patterns: [String]) {
        self.digest = digest
        self.right = right
        self.patterns = patterns
        coversAll = patterns.contains("*")
    }

    /// Whether it is good for a space.
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

    /// Whether a digest is its own. It takes as long wherever they differ.
    func isDigest(_ other: [UInt8]) -> Bool {
        guard digest.count == other.count else { return false }
        return zip(digest, other).reduce(0) { $0 | $1.0 ^ $1.1 } == 0
    }
}
