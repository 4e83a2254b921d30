import Ground

/// A reference to the live streams of a loop, for other loops.
final class LivePeer: Sendable {
    private let executor: LoopExecutor
    private let place: Confined<WeakLoop>

    private final class WeakLoop {
        weak var live: LiveLoop?
        init(_ live: LiveLoop) { self.live = live }
    }

    init(_ live: LiveLoop, on executor: LoopExecutor) {
        self.executor = executor
        place = Confined(WeakLoop(live))
    }

    /// Runs a job on the loop, after all jobs that were posted before.
    func post(_ job: @escaping @Sendable (LiveLoop) -> Void) {
        executor.post { [place] in if let live = place.value.live { job(live) } }
    }
}
