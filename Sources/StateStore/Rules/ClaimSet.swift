/// The claims of a token that a rule or a personal view reads.
struct ClaimSet: Hashable, Sendable {
    /// The names of the claims; nil for all.
    let names: [String]?

    /// All claims.
    static let all = ClaimSet(names: nil)
    /// No claim.
    static let none = ClaimSet(names: [])

    /// Returns the claims that this or another set has.
    func union(_ other: ClaimSet) -> ClaimSet {
        guard let names, let others = other.names else { return .all }
        return ClaimSet(names: names + others.filter { !names.contains($0) })
    }
}
