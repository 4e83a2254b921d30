/// The claims of a token that a rule or a personal view reads.
package struct ClaimSet: Hashable, Sendable {
    /// The names of the claims; nil for all.
    package let names: [String]?

    /// The claims of these names; nil for all.
    package init(names: [String]?) {
        self.names = names
    }

    /// All claims.
    package static let all = ClaimSet(names: nil)
    /// No claim.
    package static let none = ClaimSet(names: [])

    /// Returns the claims that this or another set has.
    package func union(_ other: ClaimSet) -> ClaimSet {
        guard let names, let others = other.names else { return .all }
        return ClaimSet(names: names + others.filter { !names.contains($0) })
    }
}
