import Reactive

/// The most recent answers to calls with an idempotency key, and the keys of calls under way. The journal stores the
/// other answers.
struct IdempotencyCache {
    /// The maximum number of answers.
    static let limit = 256

    /// The state of a key.
    enum KeyStatus {
        /// A call with this key is under way; the closures wait for its end.
        case underWay([() -> Void])
        case answered(StoredAnswer, at: Timestamp)
    }

    private var entries: [String: KeyStatus] = [:]
    private var order = Fifo<String>()
    private var underWayCount = 0
    /// The number of times that the space was deleted while it was loaded.
    private(set) var deletions = 0

    /// True if a call with a key is under way.
    var isBusy: Bool { underWayCount > 0 }

    subscript(key: String) -> KeyStatus? { entries[key] }

    /// Drops every answer, because the space was deleted. Calls under way stay: they belong to the new life of the
    /// space.
    mutating func dropAnswers() {
        deletions += 1
        while let key = order.popFirst() {
            if case .answered = entries[key] { entries[key] = nil }
        }
    }

    mutating func begin(_ key: String) {
        entries[key] = .underWay([])
        underWayCount += 1
    }

    /// Runs `waiter` when the call under way with this key has ended.
    mutating func wait(for key: String, _ waiter: @escaping () -> Void) {
        guard case .underWay(let waiters) = entries[key] else { return waiter() }
        entries[key] = .underWay(waiters + [waiter])
    }

    /// Ends the call under way, with its answer, or nil if the key stays free. Returns the closures to run.
    mutating func end(_ key: String, _ answer: StoredAnswer?, at time: Timestamp) -> [() -> Void] {
        guard case .underWay(let waiters) = entries.removeValue(forKey: key) else { return [] }
        underWayCount -= 1
        if let answer {
            entries[key] = .answered(answer, at: time)
            order.append(key)
            while order.count > Self.limit, let oldest = order.popFirst() {
                if case .answered = entries[oldest] { entries[oldest] = nil }
            }
        }
        return waiters
    }
}
