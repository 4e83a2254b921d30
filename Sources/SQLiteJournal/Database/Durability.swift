/// The grade of durability: the acknowledged commits that survive a power loss. With every grade, all of them survive a
/// crash of the process.
package enum Durability: String, CaseIterable, Sendable {
    /// All commits: each is on disk before it is acknowledged.
    case commit
    /// All commits except those of the last 100 ms.
    case interval
    /// The commits that the kernel has written back. The journal is consistent.
    case none
}
