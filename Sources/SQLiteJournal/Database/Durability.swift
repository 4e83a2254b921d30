/// The acknowledged commits that survive a loss of power. A process that dies loses no commit with any of them.
public enum Durability: String, CaseIterable, Sendable {
    /// Each of them: a commit is on disk before it is acknowledged.
    case commit
    /// All but those of the last tenth of a second.
    case interval
    /// Those that the kernel has written by then. The journal is consistent.
    case none
}
