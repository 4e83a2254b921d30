import Reactive

/// The state that all pipelines of one run share.
final class RunContext {
    /// The pipelines of the definitions that the run refers to, by id.
    let pipelines: [String: Pipeline]
    let scheduler: any Scheduler
    let budget: StepBudget
    let sources: ExternalSources
    /// True in a space, which keeps what the pipelines remember.
    let isKept: Bool
    /// Returns the events of an input or a view of a trial; nil if there is no such trial.
    var inputs: ((String) -> InputSchedule?)?
    /// The context of each definition referred to, so that `share` shares within the run.
    private var contexts: [String: CompilationContext] = [:]

    init(
        _ pipelines: [String: Pipeline], _ scheduler: any Scheduler, _ budget: StepBudget, _ sources: ExternalSources,
        isKept: Bool = false
    ) {
        self.isKept = isKept
        self.pipelines = pipelines
        self.scheduler = CountingScheduler(scheduler, budget)
        self.budget = budget
        self.sources = sources
    }

    /// Returns the context of a definition that the run refers to.
    func context(of id: String) -> CompilationContext {
        if let context = contexts[id] { return context }
        let context = CompilationContext(self, stream: id)
        contexts[id] = context
        return context
    }

    /// Releases the contexts, each of which retains this object.
    func close() {
        for context in contexts.values { context.forgetShared() }
        contexts = [:]
    }
}

/// The scheduler of one run. Every alarm costs a step.
final class CountingScheduler: Scheduler {
    private let scheduler: any Scheduler
    private let budget: StepBudget

    init(_ scheduler: any Scheduler, _ budget: StepBudget) {
        self.scheduler = scheduler
        self.budget = budget
    }

    var now: Instant { scheduler.now }

    func set(_ alarm: Alarm) {
        guard budget.spend(1) else { return }
        alarm.precede(with: { [budget] in budget.noteAlarm() })
        scheduler.set(alarm)
    }
}
