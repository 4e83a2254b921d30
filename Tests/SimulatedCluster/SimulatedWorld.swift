package import Reactive
package import StateStore

/// The virtual time of a simulation, its random numbers, and the jobs of all its threads.
package final class SimulatedWorld: @unchecked Sendable {
    // Sendable because a simulation runs on one thread.
    package let clock = VirtualScheduler()
    package var randomness: Randomness
    private var jobs = Fifo<() -> Void>()

    package init(seed: UInt64) {
        randomness = Randomness(seed: seed)
    }

    package var now: Instant { clock.now }

    /// Runs a job after those that wait.
    package func post(_ job: @escaping () -> Void) {
        jobs.append(job)
    }

    package func after(_ delay: Duration, _ body: @escaping () -> Void) {
        clock.set(Alarm(at: clock.now + delay) { [weak self] _ in self?.post(body) })
    }

    /// Runs all that is due until some time has passed.
    package func run(for duration: Duration) {
        let end = clock.now + duration
        drain()
        while let next = clock.next, next <= end {
            clock.advance(to: next)
            drain()
        }
        clock.advance(to: end)
        drain()
    }

    private func drain() {
        while let job = jobs.popFirst() { job() }
    }

    /// Returns a random number below a limit.
    package func random(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &randomness) }

    /// Returns true once in so many times.
    package func isOne(in count: Int) -> Bool { random(below: count) == 0 }

    /// Returns a random delay of up to so many microseconds.
    package func delay(upTo microseconds: Int) -> Duration { .microseconds(1 + random(below: microseconds)) }
}
