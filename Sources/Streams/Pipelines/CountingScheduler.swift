import Reactive

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
