import Ground
import Platform

/// The computing time of one trial, which takes turns with the other trials of its round. Only the trial's thread uses it.
final class ComputeTurn {
    private let round: ComputeRound
    private let seat: ComputeRound.Seat
    /// The mark that the caller has gone.
    private let departure: Departure?
    private let start = MonotonicTime.now
    /// The maximum computing time in nanoseconds, and the length of a slice. Only computing counts, so that a busy machine
    /// refuses no trial.
    private let limit: Int64
    private let slice: Int64
    /// The computing time of earlier slices.
    private var used: Int64 = 0
    /// The start of the present slice, and the computing time of the thread then.
    private var began: (at: Int64, computed: Int64)

    /// Waits for the first turn.
    init(in round: ComputeRound, of subject: String = "", _ departure: Departure? = nil, limit: Int64, slice: Int64) {
        self.round = round
        self.departure = departure
        seat = ComputeRound.Seat(of: subject)
        self.limit = limit
        self.slice = slice
        round.enter(seat)
        began = (MonotonicTime.now, ComputingTime.now)
    }

    /// The nanoseconds after which a trial ends because its caller has gone. A client may close its sending side right
    /// after the request.
    private static let departureNanoseconds: Int64 = 250_000_000

    /// Passes the turn on if the slice is over. Returns true if the trial has time left, and its caller waits.
    func goesOn() -> Bool {
        guard MonotonicTime.now - began.at >= slice else { return used < limit }
        if departure?.isNoted ?? false, MonotonicTime.now - start > Self.departureNanoseconds { used = limit }
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

/// The trials that compute in turns, one at a time. The subjects take turns, and the trials of each.
final class ComputeRound: Sendable {
    private let state = Lock(TurnQueue())

    private struct TurnQueue {
        var isTaken = false
        var waiting = FairQueue<Seat>()

        mutating func wait(_ seat: Seat) { waiting.append(seat, subject: seat.subject, space: "") }
        mutating func next() -> Seat? { waiting.popFirst() }
    }

    /// The place at which one trial waits for its turn.
    final class Seat: Sendable {
        private let condition = Condition()
        fileprivate let subject: String

        init(of subject: String) { self.subject = subject }

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
            if state.isTaken { state.wait(seat) }
            defer { state.isTaken = true }
            return !state.isTaken
        }
        if !isFree { seat.wait() }
    }

    /// Hands the turn to the next trial, if one waits, and waits for another turn.
    func pass(_ seat: Seat) {
        let next = state.with { state in
            let next = state.next()
            if next != nil { state.wait(seat) }
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
