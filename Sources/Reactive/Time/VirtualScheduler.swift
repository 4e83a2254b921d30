/// A scheduler whose time advances only on request. Hours pass in an instant, and the result is deterministic.
public final class VirtualScheduler: Scheduler {
    /// The current time.
    public private(set) var now: Instant
    private let alarms = AlarmQueue()

    /// Creates a scheduler whose time is `now`.
    public init(now: Instant = .zero) {
        self.now = now
    }

    /// The number of alarms.
    public var count: Int { alarms.count }

    /// The due time of the next alarm.
    public var next: Instant? { alarms.next }

    /// Sets an alarm to fire when its time is reached. An alarm set for the past fires at the next advance.
    public func set(_ alarm: Alarm) {
        alarms.insert(alarm)
    }

    /// Advances the time to `instant`. Every alarm due by then fires at its own time.
    public func advance(to instant: Instant) {
        while let alarm = alarms.popFirst(dueBy: instant) {
            now = max(now, alarm.instant)
            alarm.fire()
        }
        now = max(now, instant)
    }

    /// Advances the time by `duration`.
    public func advance(by duration: Duration) {
        advance(to: now + duration)
    }

    /// Advances the time until no alarm is set, or to `limit` if alarms set others without end.
    public func run(until limit: Instant = Instant(nanoseconds: .max)) {
        while let next, next <= limit { advance(to: next) }
    }
}
