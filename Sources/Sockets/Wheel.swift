/// A timer wheel: deadlines with a resolution of 0.1 s, never early. Setting one is an append, and none is removed: the
/// receiver checks if the deadline still applies.
package final class Wheel: TimerSource {
    /// The duration of a slot, in nanoseconds.
    static let step: Int64 = 100_000_000
    /// The number of slots. A deadline beyond the last slot is filed again when its slot comes.
    static let slotCount = 1_024

    private var slots = [[(registration: Registration, deadline: Int64)]](repeating: [], count: slotCount)
    /// The last processed tick.
    private var lastTick: Int64
    /// The first tick that may have an entry; nil if there is none.
    private var nextTick: Int64?
    private let fire: (Registration, _ deadline: Int64) -> Void

    /// Creates a wheel that calls `fire` for each deadline after it has passed.
    package init(now: Int64, _ fire: @escaping (Registration, _ deadline: Int64) -> Void) {
        lastTick = now / Self.step
        self.fire = fire
    }

    /// Sets a deadline.
    package func set(_ registration: Registration, at deadline: Int64) {
        file((registration, deadline))
    }

    private func file(_ entry: (registration: Registration, deadline: Int64)) {
        // The tick after the deadline, so that no deadline fires early.
        let tick = max((entry.deadline + Self.step - 1) / Self.step, lastTick + 1)
        let reached = min(tick, lastTick + Int64(Self.slotCount) - 1)
        slots[Int(reached % Int64(Self.slotCount))].append(entry)
        nextTick = min(nextTick ?? reached, reached)
    }

    /// The time of the next tick with a possible deadline.
    package var next: Int64? { nextTick.map { $0 * Self.step } }

    /// Processes the deadlines due by `now`.
    package func advance(to now: Int64) {
        let tick = now / Self.step
        guard tick > lastTick else { return }
        let first = max(nextTick ?? tick, tick - Int64(Self.slotCount) + 1)
        lastTick = tick
        nextTick = nil
        var due: [(registration: Registration, deadline: Int64)] = []
        for tick in first...max(first, tick) where tick <= lastTick {
            let slot = Int(tick % Int64(Self.slotCount))
            guard !slots[slot].isEmpty else { continue }
            due += slots[slot]
            slots[slot] = []
        }
        for entry in due {
            if entry.deadline <= now { fire(entry.registration, entry.deadline) } else { file(entry) }
        }
        if nextTick == nil || nextTick! > lastTick + 1 { findNext() }
    }

    private func findNext() {
        nextTick = (1..<Int64(Self.slotCount)).lazy.map { self.lastTick + $0 }
            .first { !self.slots[Int($0 % Int64(Self.slotCount))].isEmpty }
    }
}
