/// The requests of one connection that wait for an answer.
struct PendingReplies {
    typealias Done = @Sendable (Result<[UInt8], NATSFault>) -> Void

    private struct Pending {
        let deadline: Int64
        let done: Done
    }

    private var lastNumber = 0
    private var pending: [Int: Pending] = [:]
    private var isClosed = false

    /// The number of requests that wait.
    var count: Int { pending.count }

    /// Takes a request and returns the number for its reply subject; nil after the end of the connection.
    mutating func add(deadline: Int64, _ done: @escaping Done) -> Int? {
        guard !isClosed else { return nil }
        lastNumber += 1
        pending[lastNumber] = Pending(deadline: deadline, done: done)
        return lastNumber
    }

    /// Removes the request of a number; nil if it was answered or given up.
    mutating func take(_ number: Int) -> Done? { pending.removeValue(forKey: number)?.done }

    /// Removes the requests whose time is over.
    mutating func takeExpired(_ now: Int64) -> [Done] {
        guard pending.contains(where: { $0.value.deadline <= now }) else { return [] }
        let expired = pending.filter { $0.value.deadline <= now }
        for number in expired.keys { pending[number] = nil }
        return expired.sorted { $0.key < $1.key }.map(\.value.done)
    }

    /// Removes all requests and takes no more.
    mutating func close() -> [Done] {
        isClosed = true
        defer { pending = [:] }
        return pending.sorted { $0.key < $1.key }.map(\.value.done)
    }
}
