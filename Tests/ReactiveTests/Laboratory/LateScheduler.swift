import Reactive

/// A late scheduler: its alarms fire only at multiples of three seconds.
final class LateScheduler: Scheduler {
    private let clock: VirtualScheduler

    init(_ clock: VirtualScheduler) {
        self.clock = clock
    }

    var now: Instant { clock.now }

    func set(_ alarm: Alarm) {
        let rest = alarm.instant.nanoseconds % 3_000_000_000
        let wait = rest == 0 ? Duration.zero : .nanoseconds(3_000_000_000 - rest)
        clock.set(Alarm(at: alarm.instant + wait) { _ in alarm.fire() })
    }
}
