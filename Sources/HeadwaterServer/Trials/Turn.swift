import Ground

/// The computing time of one trial, which takes turns with the other trials of its round. Only the trial's thread uses it.
final class ComputeTurn {
    private let round: ComputeRound
    private let seat = ComputeRound.Seat()
    /// The maximum computing time in nanoseconds, and the length of a slice. Only computing counts, so that a busy machine
    /// refuses no trial.
    private let limit: Int64
    private let slice: Int64
    /// The computing time of earlier slices.
    private var used: Int64 = 0
    /// The start of the present slice, and the computing time of the thread then.
    private var began: (at: Int64, computed: Int64)

    /// Waits for the first turn.
    init(in round: ComputeRound, limit: Int64, slice: Int64) {
        self.round = round
        self.limit = limit
        self.slice = slice
        round.enter(seat)
        began = (MonotonicTime.now, ComputingTime.now)
    }

    /// Passes the turn on if the slice is over. Returns true if the trial has time left.
    func goesOn() -> Bool {
        guard MonotonicTime.now - began.at >= slice else { return used < limit }
        let computed = ComputingTime.now
        used += computed - began.computed
        if used < limit { round.pass(seat) }
        began = (MonotonicTime.now, ComputingTime.now)
        return used < limit
    }

    /// Ends the last turn: the next trial has it.
    func end() {
        round.leave()
    }
}

/// The trials that compute in turns, one at a time.
final class ComputeRound: Sendable {
    private let state = Lock(TurnQueue())

    private struct TurnQueue {
        var isTaken = false
        var waiting: [Seat] = []

        mutating func next() -> Seat? { waiting.isEmpty ? nil : waiting.removeFirst() }
    }

    /// The place at which one trial waits for its turn.
    final class Seat: Sendable {
        private let condition = Condition()

        fileprivate func wait() {
            _ = condition.wait()
        }

        fileprivate func call() {
            condition.signal()
        }
    }

    /// Waits for a turn.
    func enter(_ seat: Seat) {
        let isFree = state.with { state in
            if state.isTaken { state.waiting.append(seat) }
            defer { state.isTaken = true }
            return !state.isTaken
        }
        if !isFree { seat.wait() }
    }

    /// Hands the turn to the next trial, if one waits, and waits for another turn.
    func pass(_ seat: Seat) {
        let next = state.with { state in
            let next = state.next()
            if next != nil { state.waiting.append(seat) }
            return next
        }
        guard let next else { return }
        next.call()
        seat.wait()
    }

    /// Hands the turn to the next trial and does not wait for another.
    func leave() {
        state.with { state in
            let next = state.next()
            state.isTaken = next != nil
            return next
        }?.call()
    }
}
