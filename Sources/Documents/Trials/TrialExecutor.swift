import Reactive
import StateStore

/// The executor of a trial: one thread, a clock that the trial advances, and posted jobs that run after the present
/// one.
final class TrialExecutor: Executor, @unchecked Sendable {
    // Sendable because a trial uses its stores on one thread.
    private let clock = VirtualScheduler()
    private var jobs: [@Sendable () -> Void] = []

    var scheduler: any Scheduler { clock }

    /// The time: 2026-01-01 00:00:00 UTC when the trial begins.
    var now: Timestamp { Timestamp(seconds: 1_767_225_600) + .nanoseconds(clock.now.nanoseconds) }

    func post(_ job: @escaping @Sendable () -> Void) { jobs.append(job) }

    /// Runs the posted jobs, and those that they post.
    func run() {
        while !jobs.isEmpty {
            let due = jobs
            jobs = []
            for job in due { job() }
        }
    }

    /// Advances the clock, alarm by alarm. Returns false if `goesOn` did before the end.
    func advance(_ duration: Duration, while goesOn: () -> Bool) -> Bool {
        run()
        let end = clock.now + duration
        while let next = clock.next, next <= end {
            guard goesOn() else { return false }
            clock.advance(to: next)
            run()
        }
        clock.advance(to: end)
        run()
        return true
    }
}
