internal import CCurl
internal import Platform
internal import StateStore

/// The thread that drives libcurl and owns all transfers in progress.
final class CurlThread {
    private let queue: Outgoing.RequestQueue
    private let multi: OpaquePointer
    /// The transfers in progress, retained while libcurl holds their handles.
    private var transfers: [ObjectIdentifier: CurlTransfer] = [:]

    /// Serves the queue on the calling thread, until the queue is closed.
    static func run(_ queue: Outgoing.RequestQueue) {
        let lack = hw_curl_load().map { String(cString: $0) }
        guard lack == nil, let multi = hw_curl_multi() else {
            return refuseAll(at: queue, FetchFailure(.refused, lack ?? "libcurl cannot start"))
        }
        hw_curl_multi_set(multi, Int32(HW_CURL_MULTI_HOST_CONNECTIONS), Outgoing.hostConnectionsLimit)
        hw_curl_multi_set(multi, Int32(HW_CURL_MULTI_CONNECTIONS), Outgoing.connectionsLimit)
        hw_curl_multi_set(multi, Int32(HW_CURL_MULTI_KEPT_CONNECTIONS), Outgoing.connectionsLimit)
        let thread = CurlThread(queue, multi)
        thread.work()
        thread.end()
    }

    /// Fails every request while libcurl is not available, until the queue is closed.
    private static func refuseAll(at queue: Outgoing.RequestQueue, _ failure: FetchFailure) {
        let arrival = Condition()
        queue.content.withLock { $0.wake = { arrival.signal() } }
        while true {
            let (arrivals, isClosed) = queue.content.withLock { content in
                defer { content.arrivals = [] }
                return (content.arrivals, content.isClosed)
            }
            for transfer in arrivals {
                queue.count(transfer.request.target, failure.kind.rawValue)
                transfer.done(.failure(failure))
            }
            if isClosed { return }
            _ = arrival.wait()
        }
    }

    private init(_ queue: Outgoing.RequestQueue, _ multi: OpaquePointer) {
        self.queue = queue
        self.multi = multi
        let waker = CurlWaker(multi)
        queue.content.withLock { $0.wake = { waker.wake() } }
    }

    private func work() {
        while takeOrders() {
            hw_curl_multi_perform(multi)
            var code: Int32 = 0
            while let handle = hw_curl_multi_next(multi, &code) { finish(handle, code) }
            // Without transfers the thread waits to be woken; libcurl's own timers shorten the wait.
            hw_curl_multi_poll(multi, 60_000)
        }
    }

    /// Starts the added transfers and stops the cancelled ones; returns false after the queue was closed.
    private func takeOrders() -> Bool {
        let (arrivals, departures, isClosed) = queue.content.withLock { content in
            defer {
                content.arrivals = []
                content.departures = []
            }
            return (content.arrivals, content.departures, content.isClosed)
        }
        for transfer in arrivals { begin(transfer) }
        for transfer in departures where !transfer.isOver { breakOff(transfer, "cancelled") }
        return !isClosed
    }

    private func begin(_ transfer: CurlTransfer) {
        guard let handle = transfer.begin() else {
            transfer.end()
            queue.count(transfer.request.target, FetchFailure.Kind.refused.rawValue)
            return transfer.done(.failure(FetchFailure(.refused, "libcurl cannot create another request")))
        }
        transfers[ObjectIdentifier(transfer)] = transfer
        hw_curl_multi_add(multi, handle)
    }

    private func finish(_ handle: OpaquePointer, _ code: Int32) {
        guard let transfer = CurlTransfer.of(handle) else { return }
        let result = transfer.result(code)
        hw_curl_multi_remove(multi, handle)
        transfer.end()
        transfers[ObjectIdentifier(transfer)] = nil
        switch result {
        case .success(let response): queue.count(transfer.request.target, "\(response.status / 100)xx")
        case .failure(let failure): queue.count(transfer.request.target, failure.kind.rawValue)
        }
        transfer.done(result)
    }

    private func breakOff(_ transfer: CurlTransfer, _ outcome: String) {
        if let handle = transfer.handle { hw_curl_multi_remove(multi, handle) }
        transfer.end()
        transfers[ObjectIdentifier(transfer)] = nil
        queue.count(transfer.request.target, outcome)
    }

    private func end() {
        queue.content.withLock { $0.wake = nil }
        for transfer in transfers.values {
            breakOff(transfer, "cancelled")
            transfer.done(.failure(FetchFailure(.refused, "the server is shutting down")))
        }
        hw_curl_multi_end(multi)
    }
}

/// A handle that wakes the libcurl thread from its wait.
private final class CurlWaker: @unchecked Sendable {
    // Sendable because libcurl permits a wakeup from any thread, and the queue drops this handle before the thread
    // ends.
    private let multi: OpaquePointer

    init(_ multi: OpaquePointer) {
        self.multi = multi
    }

    func wake() {
        hw_curl_multi_wake(multi)
    }
}
