import Ground
import Platform
import Sockets

/// The counts of all loops together.
final class MetricsGatherer: Sendable {
    private let sources = Lock<[(executor: LoopExecutor, count: Confined<() -> MetricCounts>)]>([])
    private let addition: @Sendable (inout Exposition) -> Void

    /// `addition` writes the figures that are not of a loop.
    init(_ addition: @escaping @Sendable (inout Exposition) -> Void) {
        self.addition = addition
    }

    /// Replaces the sources: one function for each loop, which is called on the loop.
    func setSources(_ sources: [(executor: LoopExecutor, count: () -> MetricCounts)]) {
        let owned = sources.map { (executor: $0.executor, count: Confined($0.count)) }
        self.sources.with { $0 = owned }
    }

    /// Calls `reply` on `executor` with the figures of all loops, as Prometheus reads them.
    func gather(for executor: LoopExecutor, _ reply: @escaping @Sendable (String) -> Void) {
        let sources = sources.with { $0 }
        let asked = MonotonicTime.now
        let gathered = Lock((missing: sources.count, count: MetricCounts()))
        for source in sources {
            source.executor.post { [addition] in
                var count = source.count.value()
                count.lagSeconds = Double(MonotonicTime.now - asked) / 1e9
                let total = gathered.with { gathered in
                    gathered.count.add(count)
                    gathered.missing -= 1
                    return gathered.missing == 0 ? gathered.count : nil
                }
                guard let total else { return }
                executor.post {
                    var exposition = Exposition()
                    exposition.add(total)
                    addition(&exposition)
                    reply(exposition.text)
                }
            }
        }
    }
}
