/// A clock that fires alarms. All code that depends on time takes a scheduler, so that tests can use virtual time.
public protocol Scheduler: AnyObject {
    /// The current time.
    var now: Instant { get }
    /// Sets an alarm. Of two alarms due at the same time, the one set first fires first.
    func set(_ alarm: Alarm)
}
