/// A commit without its input and facts.
public struct CommitHead: Hashable, Sendable {
    /// The version after the commit.
    public let version: Int
    /// The version of `common` that the commit was made with. For a commit of `common`, its own version.
    public let common: Int
    /// The time of the commit.
    public let at: Timestamp
    /// The subject of the caller; empty for none.
    public let by: String
    /// The action that made the commit, as `feature/name`.
    public let action: String

    /// A head.
    public init(version: Int, common: Int, at: Timestamp, by: String, action: String) {
        self.version = version
        self.common = common
        self.at = at
        self.by = by
        self.action = action
    }
}
