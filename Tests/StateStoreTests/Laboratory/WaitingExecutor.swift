import Foundation
import Reactive
import StateStore

/// An executor whose posts wait until the test's thread has run the job. So whoever posts a job outlives it.
final class WaitingExecutor: Executor, @unchecked Sendable {
    // Sendable because the job is touched only while the condition is held.
    let scheduler: any Scheduler = VirtualScheduler()
    private let condition = NSCondition()
    private var job: (@Sendable () -> Void)?

    func post(_ job: @escaping @Sendable () -> Void) {
        condition.lock()
        self.job = job
        condition.broadcast()
        while self.job != nil { condition.wait() }
        condition.unlock()
    }

    /// Runs the next job.
    func runOne() {
        condition.lock()
        while job == nil { condition.wait() }
        job?()
        job = nil
        condition.broadcast()
        condition.unlock()
    }
}
