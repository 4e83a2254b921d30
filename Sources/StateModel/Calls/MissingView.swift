/// The reason that an open view model has no view of a name.
package struct MissingView: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, and what to do.
    package let description: String

    /// True if the state has something of this name that can only be run.
    package let isForRuns: Bool

    /// A reason.
    package init(_ description: String, isForRuns: Bool = false) {
        self.description = description
        self.isForRuns = isForRuns
    }
}
