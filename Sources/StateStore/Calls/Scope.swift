/// The spaces that have the state of a feature.
public enum Scope: Sendable {
    /// Each space except `common` has a state of its own.
    case space
    /// The space `common` has the only state.
    case common
}
