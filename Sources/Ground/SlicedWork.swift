/// Long work of one thread: a slice of one piece of it in each job, the pieces in turn. So requests are served between two
/// slices, and no piece waits for the end of another.
package final class SlicedWork {
    /// A part of a piece of work. It returns true at its end.
    package typealias Slice = () -> Bool

    private let post: (@escaping @Sendable () -> Void) -> Void
    private let isIdle: () -> Bool
    private var pieces: [Slice] = []
    private var isPosted = false

    /// Work in jobs that `post` schedules on the calling thread. `isIdle` returns true if a slice may run.
    package init(
        post: @escaping (@escaping @Sendable () -> Void) -> Void, isIdle: @escaping () -> Bool = { true }
    ) {
        (self.post, self.isIdle) = (post, isIdle)
    }

    /// The number of pieces under way.
    package var count: Int { pieces.count }

    /// Adds a piece of work: `slice` runs in a later job, and again in further ones until it returns true.
    package func add(_ slice: @escaping Slice) {
        pieces.append(slice)
        postNext()
    }

    private func postNext() {
        guard !pieces.isEmpty, !isPosted else { return }
        isPosted = true
        let confined = Confined(WeakWork(self))
        post { confined.value.work?.run() }
    }

    private struct WeakWork {
        weak var work: SlicedWork?
        init(_ work: SlicedWork) { self.work = work }
    }

    private func run() {
        isPosted = false
        if isIdle(), !pieces.isEmpty {
            let slice = pieces.removeFirst()
            if !slice() { pieces.append(slice) }
        }
        postNext()
    }

    /// Drops all work.
    package func removeAll() { pieces = [] }
}
