import HeadwaterClient
import Synchronization

/// A loop that a test turns, with a clock that the test advances.
package final class HandLoop: ClientLoop {
    private struct State {
        var now = Duration.zero
        var work: [@Sendable () -> Void] = []
        var alarms: [(time: Duration, order: Int, work: @Sendable () -> Void)] = []
        var order = 0
        var seed: UInt64
    }

    private let state: Mutex<State>

    package init(seed: UInt64) {
        state = Mutex(State(seed: seed))
    }

    package var now: Duration { state.withLock { $0.now } }
    package var timeOfDay: Double {
        let (seconds, attoseconds) = now.components
        return 1_700_000_000 + Double(seconds) + Double(attoseconds) / 1e18
    }

    /// SplitMix64.
    package func random() -> UInt64 {
        state.withLock { state in
            state.seed &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state.seed
            mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return mixed ^ mixed >> 31
        }
    }

    package func run(_ work: @escaping @Sendable () -> Void) { state.withLock { $0.work.append(work) } }

    package func run(after pause: Duration, _ work: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.order += 1
            state.alarms.append((state.now + pause, state.order, work))
        }
    }

    /// Runs the work that is there, and what follows from it. Returns true if there was any.
    @discardableResult
    package func settle() -> Bool {
        var hasWorked = false
        for _ in 0..<10_000 {
            guard let next = state.withLock({ $0.work.isEmpty ? nil : $0.work.removeFirst() }) else { return hasWorked }
            hasWorked = true
            next()
        }
        preconditionFailure("the work of a loop does not come to an end")
    }

    /// Moves the clock, alarm by alarm.
    package func advance(_ pause: Duration) {
        settle()
        let end = now + pause
        var count = 0
        while let alarm = state.withLock({ state -> (@Sendable () -> Void)? in
            guard
                let index = state.alarms.indices.min(by: {
                    (state.alarms[$0].time, state.alarms[$0].order) < (state.alarms[$1].time, state.alarms[$1].order)
                }),
                state.alarms[index].time <= end
            else { return nil }
            let alarm = state.alarms.remove(at: index)
            state.now = max(state.now, alarm.time)
            return alarm.work
        }) {
            alarm()
            settle()
            count += 1
            precondition(count < 100_000, "the alarms of a loop do not come to an end")
        }
        state.withLock { $0.now = end }
    }
}
