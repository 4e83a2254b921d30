/// How much of what was said to be kept is still there when the machine loses its power. A process that dies loses nothing in any of them.
public enum Durability: String, CaseIterable, Sendable {
    /// All of it: a commit is on disk before it is answered.
    case commit
    /// All but the last tenth of a second.
    case interval
    /// What the system happened to have written; but what is there is whole.
    case none
}
