import Foundation

/// Counts computations by name.
final class Tally: @unchecked Sendable {
    // Sendable because the counts are touched only while the lock is held.
    private let lock = NSLock()
    private var counts: [String: Int] = [:]

    func count<Value>(_ name: String, _ value: Value) -> Value {
        lock.withLock { counts[name, default: 0] += 1 }
        return value
    }

    /// Returns the number of computations of `name` since the last call.
    func taken(_ name: String) -> Int {
        lock.withLock { counts.removeValue(forKey: name) ?? 0 }
    }

    /// Sets all counts to 0.
    func reset() {
        lock.withLock { counts = [:] }
    }
}
