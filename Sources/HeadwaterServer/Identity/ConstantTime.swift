/// Comparisons whose duration does not depend on the place of a difference.
enum ConstantTime {
    /// Returns true if both have the same bytes. The lengths are no secret.
    static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(0) { $0 | $1.0 ^ $1.1 } == 0
    }
}
