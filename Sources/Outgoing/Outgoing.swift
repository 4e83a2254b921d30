internal import Glibc
public import StateStore
internal import Synchronization

/// Fetches over HTTP and HTTPS, with the system's libcurl, on one thread of its own. Both begin with the first request: who fetches nothing pays
/// nothing.
///
/// Certificates are the system's, or those in `SSL_CERT_FILE`; proxies are those of `https_proxy`, `http_proxy` and `no_proxy`.
public final class Outgoing: Fetcher {
    /// How many connections there are to one host; requests beyond that wait.
    public static let hostConnectionsLimit = 6
    /// How many connections there are in all.
    public static let connectionsLimit = 64
    /// How many requests are under way or wait; more are refused.
    public static let requestsLimit = 4_096
    /// How many redirects are followed, from https to https only.
    public static let redirectsLimit = 5
    /// How long it may take to be connected.
    public static let connectTimeout = Duration.seconds(5)
    /// The most that the header of a response may have.
    public static let headerLimitBytes = 64 * 1_024

    /// How often something was asked, by what it was counted as and how it ended.
    public struct Count: Hashable, Sendable {
        /// What the requests were counted as.
        public let target: String
        /// How they ended: `2xx` and so on, or what kind of failure.
        public let outcome: String
        /// How many there were.
        public let requests: Int
    }

    /// What the thread and those who ask have in common.
    final class Desk: Sendable {
        struct Content {
            var arrivals: [Transfer] = []
            var departures: [Transfer] = []
            var open = 0
            var isClosed = false
            var thread: pthread_t?
            /// Wakes the thread, once it waits.
            var wake: (@Sendable () -> Void)?
            var counts: [String: [String: Int]] = [:]
        }

        let content = Mutex(Content())
    }

    private let desk = Desk()

    /// A way out that nobody has taken.
    public init() {}

    deinit {
        close()
    }

    /// Fetches something.
    public func fetch(
        _ request: OutgoingRequest, _ done: @escaping @Sendable (Result<OutgoingResponse, FetchFailure>) -> Void
    ) -> Cancellation {
        let transfer = Transfer(request, done)
        let refusal = Self.refusal(of: request) ?? desk.take(transfer)
        if let refusal {
            desk.count(request.target, refusal.kind.rawValue, ended: false)
            done(.failure(refusal))
            return Cancellation()
        }
        return Cancellation { [desk] in desk.drop(transfer) }
    }

    /// What keeps a request from being sent: libcurl would take such lines as they are.
    private static func refusal(of request: OutgoingRequest) -> FetchFailure? {
        let words = [request.method, request.url] + request.fields.flatMap { [$0.name, $0.value] }
        guard words.allSatisfy({ word in !word.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F } }) else {
            return FetchFailure(.refused, "there is a control character in the request to \(request.target)")
        }
        let scheme = request.url.prefix(8).lowercased()
        guard scheme.hasPrefix("http://") || scheme.hasPrefix("https://") else {
            return FetchFailure(.refused, "\(request.place) is neither http nor https")
        }
        return nil
    }

    /// What was fetched so far.
    public var counts: [Count] {
        desk.content.withLock { content in
            content.counts.flatMap { target, outcomes in outcomes.map { Count(target: target, outcome: $0.key, requests: $0.value) } }
        }.sorted { ($0.target, $0.outcome) < ($1.target, $1.outcome) }
    }

    /// Breaks off what is under way, and ends.
    public func close() {
        let thread = desk.content.withLock { content in
            content.isClosed = true
            content.wake?()
            defer { content.thread = nil }
            return content.thread
        }
        if let thread { pthread_join(thread, nil) }
    }
}

extension Outgoing.Desk {
    /// Has a request taken to the thread, which begins with the first; why it is not.
    func take(_ transfer: Transfer) -> FetchFailure? {
        content.withLock { content in
            guard !content.isClosed else { return FetchFailure(.refused, "the server is going away") }
            guard content.open < Outgoing.requestsLimit else {
                return FetchFailure(.refused, "\(content.open) requests are under way already, which is the limit")
            }
            if content.thread == nil {
                guard let thread = Courier.start(self) else { return FetchFailure(.refused, "no thread can be had") }
                content.thread = thread
            }
            content.open += 1
            content.arrivals.append(transfer)
            content.wake?()
            return nil
        }
    }

    /// Has a request broken off.
    func drop(_ transfer: Transfer) {
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
