package import Reactive

/// An executor on the only thread of a test or a trial: its clock is advanced by hand, and a posted job runs after the
/// current one.
package final class SimulatedExecutor: Executor, @unchecked Sendable {
    // Sendable because its stores are used on one thread.
    private let clock = VirtualScheduler()
    private let start: Timestamp
    private var jobs: [@Sendable () -> Void] = []

    /// An executor whose time begins at `start`.
    package init(from start: Timestamp) { self.start = start }

    package var scheduler: any Scheduler { clock }

    /// The time.
    package var now: Timestamp { start + .nanoseconds(clock.now.nanoseconds) }

    package func post(_ job: @escaping @Sendable () -> Void) { jobs.append(job) }

    /// Runs the posted jobs, and those that they post.
    package func run() {
        while !jobs.isEmpty {
            let due = jobs
            jobs = []
            for job in due { job() }
        }
    }

    /// Advances the clock, alarm by alarm. Returns false if `goesOn` did before the end.
    @discardableResult
    package func advance(_ duration: Duration, while goesOn: () -> Bool = { true }) -> Bool {
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
