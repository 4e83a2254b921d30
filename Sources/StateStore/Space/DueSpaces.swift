import Ground
import Reactive

/// The commits by time that a turn of the executor may still make: `commitsLimit` of them, and none that begins after
/// `timeLimit`. The first one is always permitted.
struct LapseBudget {
    /// The maximum number of commits by time in a turn.
    static let commitsLimit = 64
    /// The time after which a turn begins no further commit by time.
    static let timeLimit = Duration.milliseconds(5)

    private var commits = 0
    private let end: Instant

    init(from now: Instant) { end = now + Self.timeLimit }

    /// Returns true if one more commit may begin at `now`.
    func permits(at now: Instant) -> Bool { commits == 0 || commits < Self.commitsLimit && now < end }

    /// Notes a commit.
    mutating func spend() { commits += 1 }
}

/// The loaded spaces of a store whose alarms are due. They make their commits by time in the order of their alarms, as
/// many in a turn of the executor as its budget permits, so that requests are served between them.
final class DueSpaces {
    private struct DueSpace {
        weak var space: Space?
        let done: (() -> Void)?
    }

    private let executor: any Executor
    private let isIdle: () -> Bool
    private var waiting = Fifo<DueSpace>()
    /// The budget of this turn; nil if no space has used it.
    private var budget: LapseBudget?

    /// `isIdle` returns true if spaces may commit: if no turn of the graph is under way.
    init(on executor: any Executor, isIdle: @escaping () -> Bool) {
        (self.executor, self.isIdle) = (executor, isIdle)
    }

    /// Lets the alarms of a space go off, now or in a later turn. Calls `done` afterwards.
    func add(_ space: Space, _ done: (() -> Void)? = nil) {
        waiting.append(DueSpace(space: space, done: done))
        run()
    }

    private func run() {
        guard !waiting.isEmpty else { return }
        let isBegun = budget != nil
        if isIdle() {
            while let permitted = permitted(), let next = waiting.popFirst() {
                var spent = permitted
                next.space?.lapse(&spent)
                budget = spent
                next.done?()
            }
        } else if !isBegun {
            budget = LapseBudget(from: executor.scheduler.now)
        }
        if !isBegun { endTurn() }
    }

    /// The budget of this turn if it permits one more commit.
    private func permitted() -> LapseBudget? {
        let now = executor.scheduler.now
        let budget = budget ?? LapseBudget(from: now)
        return budget.permits(at: now) ? budget : nil
    }

    /// Begins a new budget in the next turn, for the spaces that wait.
    private func endTurn() {
        let owned = Confined(self)
        executor.post {
            owned.value.budget = nil
            owned.value.run()
        }
    }
}
