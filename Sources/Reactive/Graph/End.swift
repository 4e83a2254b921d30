/// How an observable ends; nothing follows.
public enum End: Sendable {
    /// All has been said.
    case completed
    /// Something went wrong, and this is what.
    case failed(any Error)
}
