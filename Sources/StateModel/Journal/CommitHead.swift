/// A commit without its input and facts.
package struct CommitHead: Hashable, Sendable {
    /// The version after the commit.
    package let version: Int
    /// The version of `common` that the commit was made with. For a commit of `common`, its own version.
    package let common: Int
    /// The time of the commit.
    package let at: Timestamp
    /// The subject of the caller; empty for none.
    package let by: String
    /// The action that made the commit, as `feature/name`.
    package let action: String

    /// A head.
    package init(version: Int, common: Int, at: Timestamp, by: String, action: String) {
        self.version = version
        self.common = common
        self.at = at
        self.by = by
        self.action = action
    }
}
