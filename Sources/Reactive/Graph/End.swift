/// The end of an observable. No event follows it.
public enum End: Sendable {
    /// The observable has delivered all its values.
    case completed
    /// The observable failed with this error.
    case failed(any Error)
}
