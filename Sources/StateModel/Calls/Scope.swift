/// The spaces that hold the state of a feature.
public enum Scope: Sendable {
    /// Each space except `common` holds its own state.
    case space
    /// Only the space `common` holds a state.
    case common
}
