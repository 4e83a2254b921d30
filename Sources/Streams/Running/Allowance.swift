import Reactive

/// The steps that a run may take: in all, or at one instant. A definition can say in a few lines what would never come to an end; where the steps
/// are used up, its sources say nothing more, its alarms do not go, and it fails.
final class Allowance {
    private let limit: Int
    /// The graph whose turns are the instants; nil where the limit is for all of them.
    private let graph: Graph?
    private var turn = -1
    private var left: Int
    private(set) var isExhausted = false
    /// How many runs of inner sources are under way.
    var openRuns = 0
    /// Hears, once, that the steps are used up.
    var exhausted: (() -> Void)?

    init(steps limit: Int, perTurnOf graph: Graph? = nil) {
        self.limit = limit
        self.graph = graph
        left = limit
    }

    /// Takes some steps, one at least; whether they were there.
    @inline(__always)
    func spend(_ steps: Int) -> Bool {
        if let graph, graph.turns != turn {
            turn = graph.turns
            left = isExhausted ? 0 : limit
        }
        left -= steps
        return left >= 0 || exhaust()
    }

    /// Says, once, that the steps are used up, and that they are not there.
    @inline(never)
    private func exhaust() -> Bool {
        if !isExhausted {
            isExhausted = true
            exhausted?()
            exhausted = nil
        }
        return false
    }

    /// What the run fails with.
    var failure: StreamFailure {
        StreamFailure("the stream takes more than \(limit) steps\(graph == nil ? "" : " at one instant")")
    }
}

/// A scheduler for one run, on which every alarm is a step.
final class CountingScheduler: Scheduler {
    private let scheduler: any Scheduler
    private let allowance: Allowance

    init(_ scheduler: any Scheduler, _ allowance: Allowance) {
        self.scheduler = scheduler
        self.allowance = allowance
    }

    var now: Instant { scheduler.now }

    func set(_ alarm: Alarm) {
        if allowance.spend(1) { scheduler.set(alarm) }
    }
}
