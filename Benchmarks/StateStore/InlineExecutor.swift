import Reactive
import StateStore

/// An executor that runs each job at once on the only thread.
final class InlineExecutor: Executor, @unchecked Sendable {
    // Sendable because the program has only one thread.
    let scheduler: any Scheduler = VirtualScheduler()

    func post(_ job: @escaping @Sendable () -> Void) {
        job()
    }
}
