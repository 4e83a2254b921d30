import Reactive
import StateStore

/// The virtual time of a simulation, its random numbers, and the jobs of all its threads.
public final class SimulatedWorld: @unchecked Sendable {
    // Sendable because a simulation runs on one thread.
    public let clock = VirtualScheduler()
    public var randomness: Randomness
    private var jobs = Fifo<() -> Void>()

    public init(seed: UInt64) {
        randomness = Randomness(seed: seed)
    }

    public var now: Instant { clock.now }

    /// Runs a job after those that wait.
    public func post(_ job: @escaping () -> Void) {
        jobs.append(job)
    }

    public func after(_ delay: Duration, _ body: @escaping () -> Void) {
        clock.set(Alarm(at: clock.now + delay) { [weak self] _ in self?.post(body) })
    }

    /// Runs all that is due until some time has passed.
    public func run(for duration: Duration) {
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
    public func random(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &randomness) }

    /// Returns true once in so many times.
    public func isOne(in count: Int) -> Bool { random(below: count) == 0 }

    /// Returns a random delay of up to so many microseconds.
    public func delay(upTo microseconds: Int) -> Duration { .microseconds(1 + random(below: microseconds)) }
}
