/// Deadlines of many things, to a tenth of a second, none before its time. To set one costs an append, and nothing is ever taken out: whoever is
/// told looks whether the deadline still stands.
public final class Wheel: Clockwork {
    /// How far apart the wheel's slots are, in nanoseconds.
    static let step: Int64 = 100_000_000
    /// How many there are; what is due later than all of them comes by again.
    static let slotCount = 1_024

    private var slots = [[(registration: Registration, deadline: Int64)]](repeating: [], count: slotCount)
    /// The tick up to which everything was told.
    private var told: Int64
    /// The first tick at which there may be something.
    private var nextTick: Int64?
    private let tell: (Registration, _ deadline: Int64) -> Void

    /// A wheel that tells of deadlines that have come.
    public init(now: Int64, _ tell: @escaping (Registration, _ deadline: Int64) -> Void) {
        told = now / Self.step
        self.tell = tell
    }

    /// Sets a deadline.
    public func set(_ registration: Registration, at deadline: Int64) {
        file((registration, deadline))
    }

    private func file(_ entry: (registration: Registration, deadline: Int64)) {
        // The end of the slot's time, so that nothing is told too early.
        let tick = max((entry.deadline + Self.step - 1) / Self.step, told + 1)
        let reached = min(tick, told + Int64(Self.slotCount) - 1)
        slots[Int(reached % Int64(Self.slotCount))].append(entry)
        nextTick = min(nextTick ?? reached, reached)
    }

    /// When something may be due.
    public var next: Int64? { nextTick.map { $0 * Self.step } }

    /// Tells what is due.
    public func advance(to now: Int64) {
        let tick = now / Self.step
        guard tick > told else { return }
        let first = max(nextTick ?? tick, tick - Int64(Self.slotCount) + 1)
        told = tick
        nextTick = nil
        var due: [(registration: Registration, deadline: Int64)] = []
        for tick in first...max(first, tick) where tick <= told {
            let slot = Int(tick % Int64(Self.slotCount))
            guard !slots[slot].isEmpty else { continue }
            due += slots[slot]
            slots[slot] = []
        }
        for entry in due {
            if entry.deadline <= now { tell(entry.registration, entry.deadline) } else { file(entry) }
        }
        if nextTick == nil || nextTick! > told + 1 { findNext() }
    }

    private func findNext() {
        nextTick = (1..<Int64(Self.slotCount)).lazy.map { self.told + $0 }
            .first { !self.slots[Int($0 % Int64(Self.slotCount))].isEmpty }
    }
}
