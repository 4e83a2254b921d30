import Reactive

/// The steps that a run may take: in all, or at one instant. A definition can say in a few lines what would never come to an end; where the steps
/// are used up, its sources say nothing more, its alarms do not go, and it fails.
///
/// What comes from outside finds all steps there. What the run has set off itself, with an alarm, finds what was left and what a second's share has
/// added since: without that, alarms a moment apart would be instants without end.
final class Allowance {
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
    private(set) var isExhausted = false
    /// How many runs of inner sources are under way.
    var openRuns = 0
    /// Hears, once, that the steps are used up.
    var exhausted: (() -> Void)?

    init(steps limit: Int) {
        self.limit = limit
        graph = nil
        clock = nil
        left = limit
    }

    init(steps limit: Int, eachTurnOf graph: Graph, clock: any Scheduler) {
        self.limit = limit
        self.graph = graph
        self.clock = clock
        left = limit
    }

    /// Takes some steps, one at least; whether they were there.
    @inline(__always)
    func spend(_ steps: Int) -> Bool {
        if let graph, graph.turns != turn {
            turn = graph.turns
            fill()
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

    /// Adds the steps that a new turn finds.
    @inline(never)
    private func fill() {
        guard !isExhausted, let now = clock?.now else { return left = 0 }
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
        StreamFailure(
            "the stream takes more than \(limit) steps\(graph == nil ? "" : wasOwn ? " in a second by itself" : " at one instant")")
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
        guard allowance.spend(1) else { return }
        alarm.precede(with: { [allowance] in allowance.noteAlarm() })
        scheduler.set(alarm)
    }
}
