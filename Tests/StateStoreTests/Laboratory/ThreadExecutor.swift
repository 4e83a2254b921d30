import Foundation
import Reactive
import StateStore

/// An executor with its own thread.
final class ThreadExecutor: Executor, @unchecked Sendable {
    // Sendable because its properties are accessed only while the condition is held.
    let scheduler: any Scheduler = VirtualScheduler()
    private let condition = NSCondition()
    private var jobs: [@Sendable () -> Void] = []
    private var isHeld = false
    private var isClosed = false
    private var isOver = false

    init() {
        Thread { [self] in work() }.start()
    }

    private func work() {
        while let job = next() { job() }
        condition.withLock {
            isOver = true
            condition.broadcast()
        }
    }

    private func next() -> (@Sendable () -> Void)? {
        condition.lock()
        defer { condition.unlock() }
        while !isClosed, jobs.isEmpty || isHeld { condition.wait() }
        return isClosed ? nil : jobs.removeFirst()
    }

    func post(_ job: @escaping @Sendable () -> Void) {
        condition.withLock {
            jobs.append(job)
            condition.broadcast()
        }
    }

    /// Makes the thread start no further job until it is released.
    func hold() {
        condition.withLock { isHeld = true }
    }

    func release() {
        condition.withLock {
            isHeld = false
            condition.broadcast()
        }
    }

    /// Ends the thread after the current job. Waiting jobs never run.
    func close() {
        condition.withLock {
            isClosed = true
            condition.broadcast()
            while !isOver { condition.wait() }
        }
    }

    /// Runs a job on the thread and returns its result.
    func ask<Value: Sendable>(_ job: @escaping @Sendable (@escaping @Sendable (Value) -> Void) -> Void) throws -> Value
    {
        let answer = Promise<Value>()
        post { job { answer.keep($0) } }
        return try answer.wait()
    }
}
