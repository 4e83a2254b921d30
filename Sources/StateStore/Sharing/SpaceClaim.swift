/// The claim of this node to a space that it owns.
package struct SpaceClaim: Hashable, Sendable {
    /// The number of the claim among those of this process.
    package let number: Int
    /// The number of the claim among those of all nodes to the space. That of a later owner is greater.
    package let term: Int
    /// True while no other node can own the space. Only then may rows in memory only change or be read here: no entry
    /// of the log would tell that they are those of an earlier owner.
    package let isSure: Bool

    /// A claim.
    package init(_ number: Int, term: Int, isSure: Bool) {
        self.number = number
        self.term = term
        self.isSure = isSure
    }
}
