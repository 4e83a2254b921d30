import Reactive

/// The steps that a run may take: in total, or at one instant. A short definition can describe a computation without
/// end. When the steps are spent, the sources emit nothing more, no alarm goes off, and the run fails.
///
/// A turn that an outside event starts has all steps. A turn that an alarm of the run starts has the steps that were
/// left and the share for the time since: without that, alarms a moment apart could go on for ever.
final class StepBudget {
    private var limit: Int
    /// The graph whose turns are the instants, and the clock; nil if the limit is for the whole run.
    private let graph: Graph?
    private let clock: (any Scheduler)?
    private var turn = -1
    private var left: Int
    /// The time at which steps were added last.
    private var filled = Instant.zero
    /// True if an alarm of the run starts the next turn, and if one has started the present turn.
    private var isOwn = false
    private var wasOwn = false
    /// The size of the values that a trial may still make. Runs do not count it, because they need not end.
    private var madeSizeLeft = StreamLimits.trialMadeSize
    /// Returns false when the time of a trial is over. A trial asks with each step.
    private let goesOn: () -> Bool
    /// The exceeded bound, if there is one.
    private(set) var shortage: Shortage?
    /// The number of open inner runs.
    var openRuns = 0
    /// The size of the values that operators hold.
    var heldSize = 0
    /// Runs once when a bound is exceeded.
    var exhausted: (() -> Void)?

    /// A bound of a run.
    enum Shortage {
        case steps, time, size
    }

    /// The budget of a trial: `limit` steps in total, for as long as `goesOn` returns true.
    init(steps limit: Int, goesOn: @escaping () -> Bool) {
        self.limit = limit
        self.goesOn = goesOn
        graph = nil
        clock = nil
        left = limit
    }

    /// The budget of a run: `limit` steps in each turn of `graph`.
    init(steps limit: Int, eachTurnOf graph: Graph, clock: any Scheduler) {
        self.limit = limit
        self.graph = graph
        self.clock = clock
        goesOn = { true }
        left = limit
    }

    /// The budget of a remembering stream, which `refill` renews for each commit.
    convenience init(stepsInACommit limit: Int) {
        self.init(steps: limit, goesOn: { true })
    }

    /// Renews a budget without a graph, with a limit.
    func refill(_ limit: Int) {
        self.limit = limit
        left = limit
        madeSizeLeft = StreamLimits.trialMadeSize
        shortage = nil
    }

    /// True for the budget of a run, which shares the work of its loop with others.
    var isOfRun: Bool { graph != nil }

    /// The steps that are left.
    var remaining: Int { left }

    /// Spends steps, at least one. Returns false if the budget lacks them.
    @inline(__always)
    func spend(_ steps: Int) -> Bool {
        if let graph {
            if graph.turns != turn {
                turn = graph.turns
                fill()
            }
        } else if !goesOn() {
            return exhaust(.time)
        }
        left -= steps
        return left >= 0 || exhaust(.steps)
    }

    /// Spends the steps and, in a trial, the size of a value that was made. Returns false if the budget lacks them.
    func spend(size: Int) -> Bool {
        if graph == nil {
            madeSizeLeft -= size
            guard madeSizeLeft >= 0 else { return exhaust(.size) }
        }
        return size < StreamLimits.sizeOfStep || spend(size / StreamLimits.sizeOfStep)
    }

    /// Records the exceeded bound and reports it once.
    @inline(never)
    private func exhaust(_ bound: Shortage) -> Bool {
        guard shortage == nil else { return false }
        shortage = bound
        left = -1
        exhausted?()
        exhausted = nil
        return false
    }

    /// Adds the steps of a new turn.
    @inline(never)
    private func fill() {
        guard shortage == nil, let now = clock?.now else { return left = 0 }
        wasOwn = isOwn
        isOwn = false
        let nanoseconds = min(max((now - filled).wholeNanoseconds, 0), 1_000_000_000)
        left = wasOwn ? min(left + Int(nanoseconds) * limit / 1_000_000_000, limit) : limit
        filled = now
    }

    /// Notes that an alarm of the run goes off.
    func noteAlarm() {
        isOwn = true
    }

    /// The failure of a run without budget.
    var failure: StreamFailure {
        switch shortage {
        case .time:
            StreamFailure("the stream computes for longer than \(StreamLimits.trialNanoseconds / 1_000_000_000) s")
        case .size:
            StreamFailure("the values that the stream makes are larger than \(StreamLimits.trialMadeSize) together")
        default:
            StreamFailure(
                "the stream takes more than \(limit) steps"
                    + (graph == nil ? "" : wasOwn ? " in a second by itself" : " at one instant")
            )
        }
    }
}
