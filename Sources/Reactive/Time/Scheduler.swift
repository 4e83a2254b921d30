/// What tells the time and keeps alarms. Whatever has to do with time is given one, so that it can be tried in virtual time.
public protocol Scheduler: AnyObject {
    /// The time.
    var now: Instant { get }
    /// Has an alarm go when it is due; of two that are due at once, the one that was set first goes first.
    func set(_ alarm: Alarm)
}
