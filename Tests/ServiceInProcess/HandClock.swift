import Synchronization

/// A clock that moves only when it is advanced.
package final class HandClock: Sendable {
    private let nanoseconds = Atomic<Int64>(1_000_000_000_000)

    package init() {}

    /// The current time.
    package var now: Int64 { nanoseconds.load(ordering: .relaxed) }

    /// Advances the clock to a time, never back.
    package func advance(to time: Int64) {
        if time > now { nanoseconds.store(time, ordering: .relaxed) }
    }
}
