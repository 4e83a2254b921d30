import Reactive

/// The time of a space that remembers: its earliest alarm, and the commits by time that it makes.
///
/// The time of a commit is never before that of an earlier one. A space makes at most `limit` commits by time a second:
/// the last of them takes all alarms that are due.
struct SpaceTime {
    /// The maximum number of commits by time in a second.
    static let limit = 10
    private static let second: Int64 = 1_000_000

    /// The earliest alarm; nil if there is none.
    var due: Timestamp?
    /// The time of the last commit.
    private var last = Timestamp(microseconds: .min)
    /// The times of the last commits by time, oldest first, at most `limit`.
    private var elapsed: [Timestamp] = []
    /// The alarm of the executor for `due`.
    private var alarm: Alarm?

    /// Returns the time of a commit that is made at `now`.
    mutating func next(_ now: Timestamp) -> Timestamp {
        last = max(last, now)
        return last
    }

    /// Returns the time to which a commit at `now` may let alarms go off; nil if none is due, or if there were too many
    /// commits by time.
    mutating func elapse(at now: Timestamp) -> Timestamp? {
        guard let due, due <= now else { return nil }
        elapsed.removeAll { $0.microseconds <= now.microseconds - Self.second || $0 > now }
        guard elapsed.count < Self.limit else { return nil }
        elapsed.append(now)
        return elapsed.count == Self.limit ? now : due
    }

    /// Returns the delay until the next commit by time can be made; nil if there is no alarm.
    private func delay(from now: Timestamp) -> Duration? {
        guard let due else { return nil }
        var time = due.microseconds
        if elapsed.count >= Self.limit, let first = elapsed.first { time = max(time, first.microseconds + Self.second) }
        return .microseconds(max(0, time - now.microseconds))
    }

    /// Sets the executor's alarm for the next commit by time.
    mutating func wait(from now: Timestamp, on scheduler: any Scheduler, _ action: @escaping () -> Void) {
        guard let delay = delay(from: now) else { return stop() }
        let instant = scheduler.now + delay
        if let alarm, !alarm.isCancelled, alarm.instant == instant, instant > scheduler.now { return }
        alarm?.cancel()
        let next = Alarm(at: instant) { _ in action() }
        alarm = next
        scheduler.set(next)
    }

    /// Drops the executor's alarm.
    mutating func stop() {
        alarm?.cancel()
        alarm = nil
    }
}
