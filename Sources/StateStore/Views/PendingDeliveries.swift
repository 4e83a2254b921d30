import Reactive

/// The deliveries of a space that wait for a durable version, in the order of their versions.
struct PendingDeliveries {
    private var deliveries = Fifo<PendingDelivery>()

    var isEmpty: Bool { deliveries.isEmpty }

    mutating func append(_ delivery: PendingDelivery) {
        deliveries.append(delivery)
    }

    /// Removes the next delivery if its version is at most `durable`.
    mutating func popFirst(upTo durable: Int) -> PendingDelivery? {
        deliveries.popFirst { $0.version <= durable }
    }

    /// Removes the next delivery if it is of this version.
    mutating func popFirst(of version: Int) -> PendingDelivery? {
        deliveries.popFirst { $0.version == version }
    }

    /// Removes all deliveries.
    mutating func removeAll() -> PendingDeliveries {
        let all = self
        self = PendingDeliveries()
        return all
    }

    mutating func popFirst() -> PendingDelivery? { deliveries.popFirst() }
}
