import Reactive
import StateStore

/// An executor on the only thread of a test: a posted job runs after the current one.
final class TestExecutor: Executor, @unchecked Sendable {
    // Sendable because a test uses its server on one thread.
    private let clock = VirtualScheduler()
    private var jobs: [@Sendable () -> Void] = []

    var scheduler: any Scheduler { clock }

    /// The time: 2023-11-14 22:13:20 UTC when the server begins.
    var now: Timestamp { Timestamp(microseconds: 1_700_000_000_000_000 + clock.now.nanoseconds / 1_000) }

    func post(_ job: @escaping @Sendable () -> Void) {
        jobs.append(job)
    }

    /// Runs the posted jobs, and those that they post.
    func run() {
        while !jobs.isEmpty { jobs.removeFirst()() }
    }

    /// Advances the clock, alarm by alarm.
    func advance(_ duration: Duration) {
        run()
        let end = clock.now + duration
        while let next = clock.next, next <= end {
            clock.advance(to: next)
            run()
        }
        clock.advance(to: end)
        run()
    }
}
