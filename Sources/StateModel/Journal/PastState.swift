/// The result of reading a space at a past version.
package enum PastState: Hashable, Sendable {
    /// The state, and the commit that made it. The head is nil at version 0, and where the journal of an older program
    /// has dropped the commit.
    case state(StoredSpace, CommitHead?)
    /// The state is no longer stored; the states from `oldest` on are.
    case gone(oldest: Int)
    /// The space has not reached the version yet; it is at `newest`.
    case future(newest: Int)
}

/// A space and the time of its earliest alarm.
package struct SpaceAlarm: Hashable, Sendable {
    /// The space.
    package let space: SpaceName
    /// The time at which the alarm is due, or an earlier one.
    package let at: Timestamp

    /// An alarm.
    package init(space: SpaceName, at: Timestamp) {
        self.space = space
        self.at = at
    }
}
