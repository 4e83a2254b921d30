import Glibc
import Platform
import StateStore
import Synchronization

/// The time of commits and alarms: the machine's wall clock, without its jumps.
///
/// - It never goes back. If the wall clock jumps back, it advances with the boot clock until the wall clock has caught
///   up, or until `accept`.
/// - It follows a step forward of more than `stepLimit` against the boot clock only after the step has held for
///   `holdTime`.
final class SteadyClock: Sendable {
    /// The machine's clocks, in microseconds: the wall clock and the time since the boot.
    struct ClockReading: Sendable {
        let wall: Int64
        let boot: Int64
    }

    /// An event of the clock that the log says.
    enum ClockEvent: Equatable {
        /// The wall clock jumped forward by seconds, and is not followed yet.
        case held(seconds: Int64)
        /// The wall clock that was held has gone back.
        case released
        /// The clock followed a step of the wall clock by seconds.
        case followed(seconds: Int64)
        /// The clock is ahead of the wall clock by seconds.
        case ahead(seconds: Int64)
        /// The wall clock has caught up.
        case caughtUp
        /// The operator made the clock follow the wall clock back.
        case accepted(seconds: Int64)
    }

    /// The greatest step forward, in microseconds, that is followed at once.
    static let stepLimit: Int64 = 10_000_000
    /// The time, in microseconds, for which a greater step has to hold.
    static let holdTime: Int64 = 60_000_000
    /// A lead of the wall clock, in microseconds, that is no step: the two clocks are read one after the other.
    private static let tolerance: Int64 = 1_000
    /// The lead in microseconds from which on the log says that the clock is ahead.
    private static let aheadLimit: Int64 = 1_000_000

    private struct State {
        /// The boot time since which a step forward is held; nil without one.
        var heldSince: Int64?
        var isAhead = false
        var events: [ClockEvent] = []
    }

    private let read: @Sendable () -> ClockReading
    /// This clock minus the boot clock, in microseconds.
    private let offset: Atomic<Int64>
    private let state = Lock(State())

    /// A clock that begins at the wall clock, or at `floor` if the wall clock is before it.
    init(notBefore floor: Timestamp? = nil, reading: @escaping @Sendable () -> ClockReading = SteadyClock.machine) {
        read = reading
        let first = reading()
        offset = Atomic(max(first.wall, floor?.microseconds ?? .min) - first.boot)
    }

    /// The machine's clocks by now.
    static let machine: @Sendable () -> ClockReading = {
        // The wall clock is read between two readings of the other. An interruption in between is no step.
        var best = ClockReading(wall: 0, boot: 0)
        var least = Int64.max
        for _ in 0..<3 {
            let before = microseconds(CLOCK_BOOTTIME)
            let wall = microseconds(CLOCK_REALTIME)
            let after = microseconds(CLOCK_BOOTTIME)
            if after - before < least { (best, least) = (ClockReading(wall: wall, boot: before), after - before) }
            if least < 50 { break }
        }
        return best
    }

    private static func microseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }

    /// The time by now.
    var now: Timestamp {
        let reading = read()
        let shown = reading.boot + offset.load(ordering: .relaxed)
        guard reading.wall - shown > Self.tolerance else { return Timestamp(microseconds: shown) }
        return state.with { state in
            let offset = offset.load(ordering: .relaxed)
            let lead = reading.wall - reading.boot - offset
            guard lead > Self.tolerance, lead <= Self.stepLimit else {
                return Timestamp(microseconds: reading.boot + offset)
            }
            self.offset.store(offset + lead, ordering: .relaxed)
            return Timestamp(microseconds: reading.wall)
        }
    }

    /// The seconds by which this clock is ahead of the wall clock; below zero while a step forward is held.
    var aheadSeconds: Double {
        let reading = read()
        return Double(reading.boot + offset.load(ordering: .relaxed) - reading.wall) / 1e6
    }

    /// Looks at the wall clock, which the server does once a second, and returns the events since the last look.
    func look() -> [ClockEvent] {
        _ = now
        let reading = read()
        return state.with { state in
            let offset = offset.load(ordering: .relaxed)
            let lead = reading.wall - reading.boot - offset
            if lead > Self.stepLimit {
                if let since = state.heldSince, reading.boot - since >= Self.holdTime {
                    self.offset.store(offset + lead, ordering: .relaxed)
                    state.heldSince = nil
                    state.events.append(.followed(seconds: lead / 1_000_000))
                } else if state.heldSince == nil {
                    state.heldSince = reading.boot
                    state.events.append(.held(seconds: lead / 1_000_000))
                }
            } else if state.heldSince != nil {
                state.heldSince = nil
                state.events.append(.released)
            }
            if (-lead > Self.aheadLimit) != state.isAhead {
                state.isAhead = !state.isAhead
                state.events.append(state.isAhead ? .ahead(seconds: -lead / 1_000_000) : .caughtUp)
            }
            defer { state.events = [] }
            return state.events
        }
    }

    /// Follows the wall clock now, also back. Returns the time before.
    func accept() -> Timestamp {
        let reading = read()
        return state.with { state in
            let before = reading.boot + offset.exchange(reading.wall - reading.boot, ordering: .relaxed)
            state.heldSince = nil
            state.isAhead = false
            state.events.append(.accepted(seconds: (reading.wall - before) / 1_000_000))
            return Timestamp(microseconds: before)
        }
    }
}

extension SteadyClock.ClockEvent: CustomStringConvertible {
    /// The event in words.
    var description: String {
        switch self {
        case .held(let seconds):
            "the machine's clock jumped \(seconds) s forward; commits follow it when it has stayed there for 60 s"
        case .released: "the machine's clock has come back; commits never followed its jump"
        case .followed(let seconds): "the time of commits follows the machine's clock, \(seconds) s forward"
        case .ahead(let seconds):
            "the machine's clock is \(seconds) s behind the time of commits, which goes on from there; "
                + "if the machine's clock is right: \(ProgramName.text) clock accept"
        case .caughtUp: "the machine's clock has caught up with the time of commits"
        case .accepted(let seconds): "the time of commits was set to the machine's clock, by \(seconds) s"
        }
    }
}
