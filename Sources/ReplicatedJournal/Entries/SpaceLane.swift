package import StateStore

extension Lane {
    /// Returns the lane of a space in a cluster with `count` lanes. Other bits of the digest select the loop.
    package static func of(_ space: SpaceName, among count: Int) -> Lane {
        space == .common ? .common : Lane(Int((space.digest >> 17) % UInt64(count)))
    }
}
