/// The reason that an open view model has no view of a name.
public struct MissingView: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, and what to do.
    public let description: String

    /// A reason.
    public init(_ description: String) {
        self.description = description
    }
}
