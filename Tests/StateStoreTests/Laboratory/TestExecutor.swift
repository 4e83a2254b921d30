import Foundation
import Reactive
import StateStore

/// An executor for tests. Jobs from any thread run on the test's thread, while it waits.
final class TestExecutor: Executor, @unchecked Sendable {
    // Sendable because the jobs are touched only while the condition is held.
    let scheduler: any Scheduler = VirtualScheduler()
    private let condition = NSCondition()
    private var jobs: [@Sendable () -> Void] = []
    private var isClosed = false

    func post(_ job: @escaping @Sendable () -> Void) {
        condition.withLock {
            guard !isClosed else { return }
            jobs.append(job)
            condition.signal()
        }
    }

    /// Runs no further jobs. A stored job would retain the store, which retains this executor.
    func close() {
        let left = condition.withLock {
            defer { jobs = [] }
            isClosed = true
            return jobs
        }
        withExtendedLifetime(left) {}
    }

    /// Runs jobs until a condition holds.
    func run(until isSo: () -> Bool) throws {
        let deadline = Date(timeIntervalSinceNow: Deadline.seconds)
        while !isSo() { try next(before: deadline)() }
    }

    /// Runs the oldest job.
    func runOne() {
        condition.withLock { jobs.isEmpty ? nil : jobs.removeFirst() }?()
    }

    /// Runs the waiting jobs, and the jobs that they post here.
    func runPosted() {
        while let job = condition.withLock({ jobs.isEmpty ? nil : jobs.removeFirst() }) { job() }
    }

    /// Waits until a job is posted here or on another executor.
    func waitForJobs(orAt other: TestExecutor) throws {
        let deadline = Date(timeIntervalSinceNow: Deadline.seconds)
        while !hasJobs, !other.hasJobs {
            guard Date() < deadline else { throw Deadline() }
            _ = condition.withLock { jobs.isEmpty ? condition.wait(until: Date(timeIntervalSinceNow: 0.001)) : true }
        }
    }

    private var hasJobs: Bool { condition.withLock { !jobs.isEmpty } }

    private func next(before deadline: Date) throws -> @Sendable () -> Void {
        condition.lock()
        defer { condition.unlock() }
        while jobs.isEmpty {
            guard condition.wait(until: deadline) else { throw Deadline() }
        }
        return jobs.removeFirst()
    }
}

/// The condition did not hold within the time limit.
struct Deadline: Error {
    /// Far more than any test needs, also on a busy machine under a sanitizer.
    static let seconds = 60.0
}
