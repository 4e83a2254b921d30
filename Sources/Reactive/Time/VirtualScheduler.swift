/// A scheduler whose time passes only when told to: hours in an instant, and always the same.
public final class VirtualScheduler: Scheduler {
    /// The time.
    public private(set) var now: Instant
    private let alarms = AlarmQueue()

    /// A scheduler whose time is `now`.
    public init(now: Instant = .zero) {
        self.now = now
    }

    /// How many alarms are set.
    public var count: Int { alarms.count }

    /// When the next alarm is due.
    public var next: Instant? { alarms.next }

    /// Has an alarm go when its time is reached; one set for the past goes when time is next told to pass.
    public func set(_ alarm: Alarm) {
        alarms.insert(alarm)
    }

    /// Lets time pass until `instant`; every alarm due by then goes at its own time.
    public func advance(to instant: Instant) {
        while let alarm = alarms.popFirst(dueBy: instant) {
            now = max(now, alarm.instant)
            alarm.fire()
        }
        now = max(now, instant)
    }

    /// Lets time pass for `duration`.
    public func advance(by duration: Duration) {
        advance(to: now + duration)
    }

    /// Lets time pass until no alarm is set, or up to `limit` where alarms set others without end.
    public func run(until limit: Instant = Instant(nanoseconds: .max)) {
        while let next, next <= limit { advance(to: next) }
    }
}
