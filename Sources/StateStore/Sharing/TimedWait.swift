package import Reactive

/// A request that waits for something, at most until a deadline. It ends once.
package final class TimedWait {
    private var done: ((Bool) -> Void)?
    private var alarm: Alarm?

    /// Begins the wait. `done` gets true with the thing that the request waits for, and false at the deadline.
    package init(until deadline: Instant, on scheduler: any Scheduler, _ done: @escaping (Bool) -> Void) {
        self.done = done
        let alarm = Alarm(at: deadline) { _ in self.end(false) }
        self.alarm = alarm
        scheduler.set(alarm)
    }

    /// True once it has ended.
    package var isOver: Bool { done == nil }

    /// Ends the wait. The second call does nothing.
    package func end(_ isHere: Bool) {
        alarm?.cancel()
        alarm = nil
        let done = done
        self.done = nil
        done?(isHere)
    }
}
