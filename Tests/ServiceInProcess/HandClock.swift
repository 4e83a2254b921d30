import Synchronization

/// A clock that stands until it is moved on.
package final class HandClock: Sendable {
    private let nanoseconds = Atomic<Int64>(1_000_000_000_000)

    package init() {}

    /// The time.
    package var now: Int64 { nanoseconds.load(ordering: .relaxed) }

    /// Moves the clock on to a time, never back.
    package func advance(to time: Int64) {
        if time > now { nanoseconds.store(time, ordering: .relaxed) }
    }
}
