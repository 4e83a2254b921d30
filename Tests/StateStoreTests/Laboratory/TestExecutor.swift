import Foundation
import Reactive
import StateStore

/// A home for tests: what is posted, from whatever thread, is done by the test's own thread while it waits for
/// something.
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

    /// Does nothing more. A job that is never done would keep the store that keeps this.
    func close() {
        let left = condition.withLock {
            defer { jobs = [] }
            isClosed = true
            return jobs
        }
        withExtendedLifetime(left) {}
    }

    /// Does what is posted until something is so.
    func run(until isSo: () -> Bool) throws {
        let deadline = Date(timeIntervalSinceNow: Deadline.seconds)
        while !isSo() { try next(before: deadline)() }
    }

    /// Does what was posted first.
    func runOne() {
        condition.withLock { jobs.isEmpty ? nil : jobs.removeFirst() }?()
    }

    /// Does what is posted by now, and what comes of it here.
    func runPosted() {
        while let job = condition.withLock({ jobs.isEmpty ? nil : jobs.removeFirst() }) { job() }
    }

    /// Waits until something is posted here or at another home.
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

/// Something did not come to be in time.
struct Deadline: Error {
    /// Far more than anything here takes, also on a busy machine under a sanitizer.
    static let seconds = 60.0
}
