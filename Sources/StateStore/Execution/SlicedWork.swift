import Ground
import Reactive

/// The long work of one store: a slice of one piece of it in each job of the executor, the pieces in turn. So requests
/// are served between two slices, and no piece waits for the end of another.
final class SlicedWork {
    /// A part of a piece of work. It returns true at its end.
    typealias Slice = () -> Bool

    private let executor: any Executor
    private let isIdle: () -> Bool
    private var pieces = Fifo<Slice>()
    private var isPosted = false

    /// `isIdle` returns true if a slice may run: if no turn of the graph is under way.
    init(on executor: any Executor, isIdle: @escaping () -> Bool) { (self.executor, self.isIdle) = (executor, isIdle) }

    /// The number of pieces under way.
    var count: Int { pieces.count }

    /// Adds a piece of work: `slice` runs in a later job, and again in further ones until it returns true.
    func add(_ slice: @escaping Slice) {
        pieces.append(slice)
        post()
    }

    private func post() {
        guard !pieces.isEmpty, !isPosted else { return }
        isPosted = true
        let confined = Confined(WeakWork(self))
        executor.post { confined.value.work?.run() }
    }

    private struct WeakWork {
        weak var work: SlicedWork?
        init(_ work: SlicedWork) { self.work = work }
    }

    private func run() {
        isPosted = false
        if isIdle(), let slice = pieces.popFirst(), !slice() { pieces.append(slice) }
        post()
    }

    /// Drops all work.
    func removeAll() { pieces = Fifo() }
}

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
