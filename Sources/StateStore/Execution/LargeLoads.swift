import Reactive

/// The loads of the large spaces of one store, one at a time: beside the state, the facts of one space are in memory.
final class LargeLoads {
    private var waiting = Fifo<() -> Void>()
    private var isTaken = false

    /// Takes the turn. Returns false if another space has it.
    func take() -> Bool {
        guard !isTaken else { return false }
        isTaken = true
        return true
    }

    /// Runs `body` when the turn is free, and gives it the turn.
    func wait(_ body: @escaping () -> Void) { waiting.append(body) }

    /// Gives the turn to the next space.
    func end() {
        if let next = waiting.popFirst() { next() } else { isTaken = false }
    }

    /// Drops all that waits.
    func removeAll() { waiting = Fifo() }
}
