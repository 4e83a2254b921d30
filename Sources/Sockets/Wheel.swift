/// A timer wheel: deadlines with a resolution of 0.1 s, never early. Setting one is an append, and none is removed: the
/// receiver checks if the deadline still applies.
package final class Wheel: TimerSource {
    /// The duration of a slot, in nanoseconds.
    static let step: Int64 = 100_000_000
    /// The number of slots.
    static let slotCount = 1_024

    private var slots = [[Registration]](repeating: [], count: slotCount)
    /// The last processed tick.
    private var lastTick: Int64
    /// The first tick that may have an entry; nil if there is none.
    private var nextTick: Int64?
    private let fire: (Registration) -> Void

    /// Creates a wheel that calls `fire` for each deadline after it has passed.
    package init(now: Int64, _ fire: @escaping (Registration) -> Void) {
        lastTick = now / Self.step
        self.fire = fire
    }

    /// Sets a deadline. Returns the time that fires: an earlier one for a deadline beyond the last slot, and the receiver
    /// sets the rest then.
    package func set(_ registration: Registration, at deadline: Int64) -> Int64 {
        // The tick after the deadline, so that no deadline fires early.
        let tick = max((deadline + Self.step - 1) / Self.step, lastTick + 1)
        let last = lastTick + Int64(Self.slotCount) - 1
        let reached = min(tick, last)
        slots[Int(reached % Int64(Self.slotCount))].append(registration)
        nextTick = min(nextTick ?? reached, reached)
        return tick > last ? last * Self.step : deadline
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
        var due: [Registration] = []
        for tick in first...max(first, tick) where tick <= lastTick {
            let slot = Int(tick % Int64(Self.slotCount))
            guard !slots[slot].isEmpty else { continue }
            due += slots[slot]
            slots[slot] = []
        }
        for registration in due { fire(registration) }
        if nextTick == nil || nextTick! > lastTick + 1 { findNext() }
    }

    private func findNext() {
        nextTick = (1..<Int64(Self.slotCount)).lazy.map { self.lastTick + $0 }
            .first { !self.slots[Int($0 % Int64(Self.slotCount))].isEmpty }
    }
}
