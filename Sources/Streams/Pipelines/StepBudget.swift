import Reactive

/// The steps that a run may take: in all, or at one instant. A definition can say in a few lines what would never come to an end; where the steps
/// are used up, its sources say nothing more, its alarms do not go, and it fails.
///
/// What comes from outside finds all steps there. What the run has set off itself, with an alarm, finds what was left and what a second's share has
/// added since: without that, alarms a moment apart would be instants without end.
final class StepBudget {
    private let limit: Int
    /// The graph whose turns are the instants, and what tells the time; nil where the limit is for all of them.
    private let graph: Graph?
    private let clock: (any Scheduler)?
    private var turn = -1
    private var left: Int
    /// When steps were added last.
    private var filled = Instant.zero
    /// Whether the run itself sets off the turn to come, and whether it did the one under way.
    private var isOwn = false
    private var wasOwn = false
    /// The size of the values that expressions and operators may still make; counted in tries only, which end.
    private var madeSizeLeft = StreamLimits.tryMadeSize
    /// Asked with each step of a try: false when its time is over.
    private let goesOn: () -> Bool
    /// The bound that was hit, if one was.
    private(set) var shortage: Shortage?
    /// How many runs of inner sources are under way.
    var openRuns = 0
    /// The size of the values that operators hold.
    var heldSize = 0
    /// Hears, once, that a bound was hit.
    var exhausted: (() -> Void)?

    /// A bound of a run.
    enum Shortage {
        case steps, time, size
    }

    /// The allowance of a try: so many steps in all, for as long as `goesOn` is true.
    init(steps limit: Int, goesOn: @escaping () -> Bool) {
        self.limit = limit
        self.goesOn = goesOn
        graph = nil
        clock = nil
        left = limit
    }

    init(steps limit: Int, eachTurnOf graph: Graph, clock: any Scheduler) {
        self.limit = limit
        self.graph = graph
        self.clock = clock
        goesOn = { true }
        left = limit
    }

    /// Takes some steps, one at least; whether they were there.
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

    /// Takes the steps for a value of some size that was made; whether they, and its room, were there.
    func spend(size: Int) -> Bool {
        if graph == nil {
            madeSizeLeft -= size
            guard madeSizeLeft >= 0 else { return exhaust(.size) }
        }
        return size < StreamLimits.sizeOfStep || spend(size / StreamLimits.sizeOfStep)
    }

    /// Says, once, that a bound was hit, and that nothing is left.
    @inline(never)
    private func exhaust(_ bound: Shortage) -> Bool {
        guard shortage == nil else { return false }
        shortage = bound
        left = -1
        exhausted?()
        exhausted = nil
        return false
    }

    /// Adds the steps that a new turn finds.
    @inline(never)
    private func fill() {
        guard shortage == nil, let now = clock?.now else { return left = 0 }
        wasOwn = isOwn
        isOwn = false
        let nanoseconds = min(max((now - filled).wholeNanoseconds, 0), 1_000_000_000)
        left = wasOwn ? min(left + Int(nanoseconds) * limit / 1_000_000_000, limit) : limit
        filled = now
    }

    /// Notes that an alarm of the run goes.
    func noteAlarm() {
        isOwn = true
    }

    /// What the run fails with.
    var failure: StreamFailure {
        switch shortage {
        case .time: StreamFailure("the stream computes for longer than \(StreamLimits.tryNanoseconds / 1_000_000_000) s")
        case .size: StreamFailure("the values that the stream makes are larger than \(StreamLimits.tryMadeSize) together")
        default:
            StreamFailure(
                "the stream takes more than \(limit) steps\(graph == nil ? "" : wasOwn ? " in a second by itself" : " at one instant")")
        }
    }
}
