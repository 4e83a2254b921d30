package import StateStore

/// A step of a copy of a log: what one entry of the log changes.
package enum CopyStep: Sendable {
    /// Commits that are next in their spaces.
    case commits([CommitRecord])
    /// The deletion of a space.
    case forget(SpaceName)

    /// True if commits of the step erase rows.
    var erases: Bool { if case .commits(let commits) = self { commits.contains(where: \.erases) } else { false } }
}

/// A named text that a copy stores together with the steps that it belongs to.
package struct CopyRow: Hashable, Sendable {
    /// The name.
    package let name: String
    /// The text: letters, digits, spaces, `.`, `-` and `_`.
    package let value: String

    /// A row.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// The rows of a copy in the table `meta`.
enum CopyRows {
    /// The beginning of their names there.
    static let prefix = "copy "
}
