import Reactive
import Sockets

/// The time of a loop, and the alarms that go in its turns.
final class LoopScheduler: Scheduler, TimerSource {
    private unowned let loop: EventLoop
    private let alarms = AlarmQueue()

    init(_ loop: EventLoop) {
        self.loop = loop
        loop.timers.append(self)
    }

    /// The time now, not of the turn's beginning: what takes long in a turn must not make a delay shorter.
    var now: Instant { Instant(nanoseconds: loop.time()) }

    func set(_ alarm: Alarm) { alarms.insert(alarm) }

    /// Does something after so many nanoseconds.
    func after(nanoseconds: Int64, _ body: @escaping () -> Void) {
        set(Alarm(at: Instant(nanoseconds: loop.now + nanoseconds)) { _ in body() })
    }

    var next: Int64? { alarms.next?.nanoseconds }

    func advance(to now: Int64) {
        while let alarm = alarms.popFirst(dueBy: Instant(nanoseconds: now)) { alarm.fire() }
    }
}
