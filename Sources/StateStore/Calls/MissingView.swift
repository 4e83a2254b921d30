/// The reason that an open view model has no view of a name.
public struct MissingView: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, and what to do.
    public let description: String

    /// True if the state has something of this name that can only be run.
    public let isForRuns: Bool

    /// A reason.
    public init(_ description: String, isForRuns: Bool = false) {
        self.description = description
        self.isForRuns = isForRuns
    }
}
