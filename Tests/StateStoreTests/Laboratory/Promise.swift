import Foundation

/// A value that one thread waits for and another thread sets.
final class Promise<Value: Sendable>: @unchecked Sendable {
    // Sendable because the value is touched only while the condition is held.
    private let condition = NSCondition()
    private var value: Value?

    func keep(_ value: Value) {
        condition.withLock {
            self.value = value
            condition.broadcast()
        }
    }

    var isKept: Bool { condition.withLock { value != nil } }

    func wait() throws -> Value {
        let deadline = Date(timeIntervalSinceNow: Deadline.seconds)
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let value { return value }
            guard condition.wait(until: deadline) else { throw Deadline() }
        }
    }
}
