/// Comparisons whose duration does not depend on the place of a difference.
enum ConstantTime {
    /// Returns true if both have the same bytes. The lengths are no secret.
    static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        var differences: UInt8 = 0
        // `|` and `^` have the same precedence, so each step is a statement of its own.
        for index in one.indices { differences |= one[index] ^ other[index] }
        return differences == 0
    }
}
