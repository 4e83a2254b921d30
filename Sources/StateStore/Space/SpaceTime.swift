import Reactive

/// The time of a space that remembers: its earliest alarm, and the commits by time that it makes.
///
/// The time of a commit is never before that of an earlier one. A space makes at most `limit` commits by time a second:
/// the last of them takes all alarms that are due.
struct SpaceTime {
    /// The maximum number of commits by time in a second.
    static let limit = 10
    private static let second: Int64 = 1_000_000
    /// The maximum number of follow-ups in a second: firings whose times were set by firings shortly before.
    static let followUpLimit = 10

    /// The earliest alarm; nil if there is none.
    var due: Timestamp?
    /// The time of the last commit.
    private var last = Timestamp(microseconds: .min)
    /// The times of the last commits by time, oldest first, at most `limit`.
    private var elapsed: [Timestamp] = []
    /// The times of the last follow-ups, oldest first, at most `followUpLimit`.
    private var followUps: [Timestamp] = []
    /// The time before which no alarm goes off.
    private var restEnd = Timestamp(microseconds: .min)
    /// The alarm of the executor, and the time of the space for which it is set.
    private var alarm: Alarm?
    private var alarmTime = Timestamp(microseconds: .min)

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

    /// Notes a follow-up at `now`.
    mutating func noteFollowUp(at now: Timestamp) {
        if followUps.count == Self.followUpLimit { followUps.removeFirst() }
        followUps.append(now)
    }

    /// The time from which on one more follow-up is permitted. So a schedule that sets its own time to the present fires
    /// at a bounded pace, and what was due before catches up at once.
    var followUpStart: Timestamp {
        guard followUps.count == Self.followUpLimit, let first = followUps.first else { return .earliest }
        return Timestamp(microseconds: first.microseconds + Self.second)
    }

    /// Suspends all alarms until a time.
    mutating func rest(until time: Timestamp) { restEnd = time }

    /// Returns false if the alarms are suspended.
    func isAwake(at now: Timestamp) -> Bool { restEnd <= now }

    /// The time of the next commit by time; nil if there is no alarm.
    private var next: Timestamp? {
        guard let due = due.map({ max($0, restEnd) }) else { return nil }
        guard elapsed.count >= Self.limit, let first = elapsed.first else { return due }
        return max(due, Timestamp(microseconds: first.microseconds + Self.second))
    }

    /// Sets the executor's alarm for the next commit by time.
    mutating func wait(from now: Timestamp, on scheduler: any Scheduler, _ action: @escaping () -> Void) {
        guard let next else { return stop() }
        let instant = scheduler.now + max(.zero, next - now)
        if let alarm, !alarm.isCancelled, alarmTime == next, alarm.instant > scheduler.now { return }
        alarm?.cancel()
        let set = Alarm(at: instant) { _ in action() }
        (alarm, alarmTime) = (set, next)
        scheduler.set(set)
    }

    /// Forgets the times of earlier commits: the next one may be before them.
    mutating func goBack() {
        last = Timestamp(microseconds: .min)
        (elapsed, followUps) = ([], [])
        restEnd = Timestamp(microseconds: .min)
    }

    /// Drops the executor's alarm.
    mutating func stop() {
        alarm?.cancel()
        alarm = nil
    }
}
