import Reactive

/// What a space knows by heart of the keys that actions were sent with; the journal knows the rest.
struct KeyMemory {
    /// How many answers are known by heart at the most.
    static let limit = 256

    /// What is known of a key.
    enum Known {
        /// An action with it is under way, and these wait for its end.
        case underWay([() -> Void])
        /// It was answered.
        case answered(KeptAnswer, at: Timestamp)
    }

    private var known: [String: Known] = [:]
    private var order = Fifo<String>()
    private var underWayCount = 0
    /// The number of times that the space was forgotten while it was loaded.
    private(set) var forgettings = 0

    /// Whether an action with a key is under way.
    var isBusy: Bool { underWayCount > 0 }

    subscript(key: String) -> Known? { known[key] }

    /// Drops every answer, because the space was forgotten. Actions under way stay: they belong to the new life.
    mutating func dropAnswers() {
        forgettings += 1
        while let key = order.popFirst() {
            if case .answered = known[key] { known[key] = nil }
        }
    }

    mutating func begin(_ key: String) {
        known[key] = .underWay([])
        underWayCount += 1
    }

    mutating func wait(for key: String, _ waiter: @escaping () -> Void) {
        guard case .underWay(let waiters) = known[key] else { return waiter() }
        known[key] = .underWay(waiters + [waiter])
    }

    /// Notes how the action under way ended: with an answer, or with a refusal that leaves the key free. Those who wait are to be called.
    mutating func end(_ key: String, _ answer: KeptAnswer?, at time: Timestamp) -> [() -> Void] {
        guard case .underWay(let waiters) = known.removeValue(forKey: key) else { return [] }
        underWayCount -= 1
        if let answer {
            known[key] = .answered(answer, at: time)
            order.append(key)
            while order.count > Self.limit, let oldest = order.popFirst() {
                if case .answered = known[oldest] { known[oldest] = nil }
            }
        }
        return waiters
    }
}
