/// The branches of objects that one member tells apart.
package struct ObjectUnion: Hashable, Sendable {
    /// One of the branches.
    package struct UnionBranch: Hashable, Sendable {
        /// The value of the member that tells the branches apart.
        package let value: String
        /// The type of the objects.
        package let type: ObjectType

        /// Creates a branch.
        package init(_ value: String, _ type: ObjectType) { (self.value, self.type) = (value, type) }
    }

    /// The member that tells the branches apart.
    package let discriminator: String
    /// The branches, in order.
    package let branches: [UnionBranch]

    /// Creates a union.
    package init(by discriminator: String, _ branches: [UnionBranch]) {
        (self.discriminator, self.branches) = (discriminator, branches)
    }
}
