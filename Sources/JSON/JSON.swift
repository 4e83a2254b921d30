/// A JSON value.
public enum JSON: Equatable, Sendable {
    /// `null`.
    case null
}
