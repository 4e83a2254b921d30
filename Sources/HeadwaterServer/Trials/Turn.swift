import Ground
import Glibc
import Sockets

/// The time that one piece of work computes, in turns with others of its round. On the work's own thread.
final class ComputeTurn {
    private let round: ComputeRound
    private let seat = ComputeRound.Seat()
    /// For how many nanoseconds it may compute in all, and at a time.
    private let limit: Int64
    private let slice: Int64
    /// The time that it has computed in earlier slices, and the beginning of this one.
    private var used: Int64 = 0
    private var began: Int64

    /// Waits for its first turn.
    init(in round: ComputeRound, limit: Int64, slice: Int64) {
        self.round = round
        self.limit = limit
        self.slice = slice
        round.enter(seat)
        began = MonotonicClock.now
    }

    /// Lets others compute if this has done so for a slice; whether there is time left.
    func goesOn() -> Bool {
        let now = MonotonicClock.now
        guard now - began >= slice else { return used + now - began < limit }
        used += now - began
        guard used < limit else {
            began = now
            return false
        }
        round.pass(seat)
        began = MonotonicClock.now
        return true
    }

    /// Ends it: the next has its turn.
    func end() {
        round.leave()
    }
}

/// Those who compute in turns, one at a time.
final class ComputeRound: Sendable {
    private let state = Lock(TurnQueue())

    private struct TurnQueue {
        var isTaken = false
        var waiting: [Seat] = []

        mutating func next() -> Seat? { waiting.isEmpty ? nil : waiting.removeFirst() }
    }

    /// The semaphore at which one try waits for its turn.
    final class Seat: @unchecked Sendable {
        // Sendable because a semaphore is made for several threads.
        private let semaphore: UnsafeMutablePointer<sem_t>

        init() {
            semaphore = .allocate(capacity: 1)
            sem_init(semaphore, 0, 0)
        }

        deinit {
            sem_destroy(semaphore)
            semaphore.deallocate()
        }

        fileprivate func wait() {
            while sem_wait(semaphore) != 0 {}
        }

        fileprivate func call() {
            sem_post(semaphore)
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

    /// Hands the turn to the next, if one waits, and waits for another.
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

    /// Hands the turn to the next, for good.
    func leave() {
        state.with { state in
            let next = state.next()
            state.isTaken = next != nil
            return next
        }?.call()
    }
}
