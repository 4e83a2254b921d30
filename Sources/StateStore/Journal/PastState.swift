/// The result of reading a space at a past version.
public enum PastState: Hashable, Sendable {
    /// The state, and the commit that made it. The head is nil at version 0, and where the journal of an older program
    /// has dropped the commit.
    case state(StoredSpace, CommitHead?)
    /// The state is no longer stored; the states from `oldest` on are.
    case gone(oldest: Int)
    /// The space has not reached the version yet; it is at `newest`.
    case future(newest: Int)
}

/// A space and the time of its earliest alarm.
public struct SpaceAlarm: Hashable, Sendable {
    /// The space.
    public let space: SpaceName
    /// The time at which the alarm is due, or an earlier one.
    public let at: Timestamp

    /// An alarm.
    public init(space: SpaceName, at: Timestamp) {
        self.space = space
        self.at = at
    }
}
