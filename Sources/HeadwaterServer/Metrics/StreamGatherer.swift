import Ground
import Platform
import Sockets

/// The open streams of all loops, by subject and kind of path.
final class StreamGatherer: Sendable {
    typealias Counts = [String: [Int: Int]]

    private let sources = Lock<[(executor: LoopExecutor, count: Confined<() -> Counts>)]>([])

    /// Replaces the sources: one function for each loop, which is called on the loop.
    func setSources(_ sources: [(executor: LoopExecutor, count: () -> Counts)]) {
        let owned = sources.map { (executor: $0.executor, count: Confined($0.count)) }
        self.sources.with { $0 = owned }
    }

    /// Calls `reply` on `executor` with the counts of all loops.
    func gather(for executor: LoopExecutor, _ reply: @escaping @Sendable (Counts) -> Void) {
        let sources = sources.with { $0 }
        let gathered = Lock((missing: sources.count, counts: Counts()))
        for source in sources {
            source.executor.post {
                let counts = source.count.value()
                let total = gathered.with { gathered in
                    gathered.counts.merge(counts) { $0.merging($1, uniquingKeysWith: +) }
                    gathered.missing -= 1
                    return gathered.missing == 0 ? gathered.counts : nil
                }
                guard let total else { return }
                executor.post { reply(total) }
            }
        }
    }
}
