internal import Ground
package import StateStore

/// An HTTP and HTTPS client that uses the system's libcurl on one thread of its own.
///
/// The first request loads libcurl and starts the thread, so a server that fetches nothing pays nothing. Certificates
/// come from the system or from `SSL_CERT_FILE`; proxies from `https_proxy`, `http_proxy` and `no_proxy`.
package final class Outgoing: Fetcher {
    /// The maximum number of connections to one host; further requests wait.
    package static let hostConnectionsLimit = 6
    /// The maximum number of connections in all.
    package static let connectionsLimit = 64
    /// The maximum number of requests in progress or waiting; further requests fail.
    package static let requestsLimit = 4_096
    /// The maximum number of redirects; a redirect from https to http fails.
    package static let redirectsLimit = 5
    /// The maximum time to establish a connection.
    package static let connectTimeout = Duration.seconds(5)
    /// The maximum size of a response header.
    package static let headerLimitBytes = 64 * 1_024

    /// The number of requests for one target with one outcome.
    package struct RequestCount: Hashable, Sendable {
        /// The target that the requests were counted under.
        package let target: String
        /// The outcome: `2xx` and so on, or the kind of failure.
        package let outcome: String
        /// The number of requests.
        package let requests: Int
    }

    /// The state shared by the libcurl thread and its callers.
    final class RequestQueue: Sendable {
        struct Content: ~Copyable {
            var arrivals: [CurlTransfer] = []
            var departures: [CurlTransfer] = []
            var open = 0
            var isClosed = false
            var thread: SystemThread?
            /// Wakes the thread; nil until the thread can wait.
            var wake: (@Sendable () -> Void)?
            var counts: [String: [String: Int]] = [:]
        }

        let content = Lock(Content())
    }

    private let queue = RequestQueue()

    /// Creates a client without a thread.
    package init() {}

    deinit {
        close()
    }

    /// Sends a request and calls `done` once with the result.
    package func fetch(
        _ request: OutgoingRequest, _ done: @escaping @Sendable (Result<OutgoingResponse, FetchFailure>) -> Void
    ) -> Cancellation {
        send(CurlTransfer(request, done), done)
    }

    /// Sends a request whose answer is a stream. `piece` takes the bytes of a successful answer as they arrive, and returns
    /// false to end the stream; `done` is called once at the end. `timeout` is the greatest silence of the server.
    package func follow(
        _ request: OutgoingRequest, _ piece: @escaping @Sendable ([UInt8]) -> Bool,
        _ done: @escaping @Sendable (Result<OutgoingResponse, FetchFailure>) -> Void
    ) -> Cancellation {
        send(CurlTransfer(request, piece: piece, done), done)
    }

    private func send(
        _ transfer: CurlTransfer, _ done: @escaping @Sendable (Result<OutgoingResponse, FetchFailure>) -> Void
    ) -> Cancellation {
        let request = transfer.request
        let refusal = Self.refusal(of: request) ?? queue.take(transfer)
        if let refusal {
            queue.count(request.target, refusal.kind.rawValue, ended: false)
            done(.failure(refusal))
            return Cancellation()
        }
        return Cancellation { [queue] in queue.drop(transfer) }
    }

    /// Returns the reason to refuse a request, or nil. libcurl would send control characters unchanged.
    private static func refusal(of request: OutgoingRequest) -> FetchFailure? {
        let words = [request.method, request.url] + request.fields.flatMap { [$0.name, $0.value] }
        guard words.allSatisfy({ word in !word.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F } }) else {
            return FetchFailure(.refused, "the request to \(request.target) contains a control character")
        }
        let scheme = request.url.prefix(8).lowercased()
        guard scheme.hasPrefix("http://") || scheme.hasPrefix("https://") else {
            return FetchFailure(.refused, "\(request.place) is neither http nor https")
        }
        return nil
    }

    /// The counts of completed and refused requests.
    package var counts: [RequestCount] {
        queue.content.withLock { content in
            content.counts.flatMap { target, outcomes in
                outcomes.map { RequestCount(target: target, outcome: $0.key, requests: $0.value) }
            }
        }.sorted { ($0.target, $0.outcome) < ($1.target, $1.outcome) }
    }

    /// Cancels the requests in progress and joins the thread.
    package func close() {
        let thread = queue.content.withLock { content in
            content.isClosed = true
            content.wake?()
            return content.thread.take()
        }
        thread?.join()
    }
}

extension Outgoing.RequestQueue {
    /// Queues a transfer for the thread and starts the thread on the first call. Returns the failure if it cannot.
    func take(_ transfer: CurlTransfer) -> FetchFailure? {
        content.withLock { content in
            guard !content.isClosed else { return FetchFailure(.refused, "the server is shutting down") }
            guard content.open < Outgoing.requestsLimit else {
                return FetchFailure(.refused, "\(content.open) requests are in progress already, which is the limit")
            }
            if content.thread == nil {
                do {
                    content.thread = try SystemThread { CurlThread.run(self) }
                } catch {
                    return FetchFailure(.refused, "\(error)")
                }
            }
            content.open += 1
            content.arrivals.append(transfer)
            content.wake?()
            return nil
        }
    }

    /// Asks the thread to cancel a transfer.
    func drop(_ transfer: CurlTransfer) {
        content.withLock { content in
            content.departures.append(transfer)
            content.wake?()
        }
    }

    func count(_ target: String, _ outcome: String, ended: Bool = true) {
        content.withLock { content in
            if ended { content.open -= 1 }
            content.counts[target, default: [:]][outcome, default: 0] += 1
        }
    }
}
