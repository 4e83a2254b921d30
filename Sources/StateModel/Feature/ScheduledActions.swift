/// A firing of a schedule: an action that a row asks for at a time.
package struct ScheduledFiring {
    /// The feature of the schedule and of the action.
    package let feature: String
    /// The name of the schedule in the feature.
    package let schedule: String
    /// The key of the row; empty for a variable.
    package let key: String
    /// The name of the action in the feature.
    package let action: String
    /// The time.
    package let time: Timestamp

    package init(feature: String, schedule: String, key: String, action: String, time: Timestamp) {
        (self.feature, self.schedule, self.key) = (feature, schedule, key)
        (self.action, self.time) = (action, time)
    }
}

/// The schedules of a feature in one space. The space performs each firing in a commit of its own.
package protocol ScheduledActions: Rememberer {
    /// The earliest firing that has not been performed, without follow-ups; nil if there is none. `due` has its time.
    var firing: ScheduledFiring? { get }
    /// The earliest follow-up: a firing that has not been performed and whose time a firing set shortly before it.
    var followUp: ScheduledFiring? { get }
    /// Performs the action of a firing in a commit, and returns its input.
    func perform(_ firing: ScheduledFiring, _ commit: inout Commit) throws(Rejection) -> [UInt8]
    /// Remembers in the present commit that a firing was performed or refused.
    func noteFired(_ firing: ScheduledFiring)
    /// Begins the recurring schedules that have not begun in the space, at a time. They have no times without it.
    func begin(at time: Timestamp)
    /// The names of the recurring schedules whose beginning the next commit remembers.
    var beginnings: [String] { get }
    /// Replaces the times of recurring schedules that passed without a firing by the last of them, or by none if the
    /// schedule skips what passed before `start`, when the process began.
    func passMissed(at now: Timestamp, runningSince start: Timestamp)
    /// Suspends all firings until `resume`.
    func rest()
}

extension FeatureSet {
    /// True if a description of a feature has views that remember, or schedules.
    package var remembersByDescription: Bool { catalog.remembersByDescription(in: scope) }

    /// True if a feature has named operators, or a description that remembers.
    package var alwaysRemembers: Bool { hasOperators || remembersByDescription }
}
