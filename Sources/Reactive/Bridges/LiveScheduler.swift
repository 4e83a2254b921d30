/// A scheduler in real time. Its alarms fire in the isolation that makes it: on the main actor, or on an actor.
///
///     let scheduler = LiveScheduler()
///     let typed = text.debounce(.milliseconds(300), on: scheduler)
public final class LiveScheduler: Scheduler {
    private let alarms = AlarmQueue()
    private let origin = ContinuousClock.now
    private let isolation: any Actor
    /// The task that sleeps until the next alarm, and the time of that alarm.
    private var sleep: (task: Task<Void, Never>, until: Instant)?

    /// Creates a scheduler of the current isolation, whose time is 0.
    public init(isolation: isolated any Actor = #isolation) {
        self.isolation = isolation
    }

    deinit {
        sleep?.task.cancel()
    }

    /// The time since the scheduler was made.
    public var now: Instant { .zero + origin.duration(to: .now) }

    /// Sets an alarm.
    public func set(_ alarm: Alarm) {
        alarms.insert(alarm)
        sleepUntilNext()
    }

    /// A reference that a task carries back to the isolation of the scheduler.
    private struct Reference: @unchecked Sendable {
        // Sendable because it is used in the isolation of the scheduler only.
        weak var scheduler: LiveScheduler?
    }

    private func sleepUntilNext() {
        guard let next = alarms.next else { return }
        if let sleep, sleep.until <= next { return }
        sleep?.task.cancel()
        sleep = (Self.task(origin + (next - .zero), Reference(scheduler: self), next, isolation), next)
    }

    private static func task(
        _ end: ContinuousClock.Instant, _ reference: Reference, _ instant: Instant, _ isolation: any Actor
    ) -> Task<Void, Never> {
        Task.detached {
            do {
                try await ContinuousClock().sleep(until: end, tolerance: .zero)
            } catch {
                return
            }
            await wake(reference, at: instant, in: isolation)
        }
    }

    private static func wake(_ reference: Reference, at instant: Instant, in isolation: isolated any Actor) {
        guard let scheduler = reference.scheduler, scheduler.sleep?.until == instant else { return }
        scheduler.sleep = nil
        while let alarm = scheduler.alarms.popFirst(dueBy: scheduler.now) { alarm.fire() }
        scheduler.sleepUntilNext()
    }
}
