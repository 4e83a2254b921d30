import Reactive

/// The closures that wait until a version of a space is durable or undone, in the order of their versions.
struct DurabilityWaiters {
    typealias Body = (_ isDurable: Bool) -> Void

    private var waiters = Fifo<(version: Int, body: Body)>()

    var isEmpty: Bool { waiters.isEmpty }

    mutating func append(_ version: Int, _ body: @escaping Body) {
        waiters.append((version, body))
    }

    /// Removes the first closure if its version is at most `durable`.
    mutating func popFirst(upTo durable: Int) -> Body? {
        waiters.popFirst { $0.version <= durable }?.body
    }

    /// Removes all closures and returns them in their order.
    mutating func removeAll() -> [Body] {
        var all: [Body] = []
        while let waiter = waiters.popFirst() { all.append(waiter.body) }
        return all
    }
}
