import Foundation
import Reactive
import StateStore

/// An executor on its own thread.
final class WorkingExecutor: Executor, @unchecked Sendable {
    // Sendable because the jobs are touched only while the condition is held.
    let scheduler: any Scheduler = VirtualScheduler()
    private let condition = NSCondition()
    private var jobs: [@Sendable () -> Void] = []

    init() {
        Thread { [self] in
            while true { next()() }
        }.start()
    }

    private func next() -> @Sendable () -> Void {
        condition.withLock {
            while jobs.isEmpty { condition.wait() }
            return jobs.removeFirst()
        }
    }

    func post(_ job: @escaping @Sendable () -> Void) {
        condition.withLock {
            jobs.append(job)
            condition.signal()
        }
    }
}
