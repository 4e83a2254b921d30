/// A client of other servers. It never blocks the calling thread.
package protocol Fetcher: AnyObject, Sendable {
    /// Sends a request and calls `done` once, on any thread. After a cancellation, `done` may not be called.
    func fetch(
        _ request: OutgoingRequest, _ done: @escaping @Sendable (Result<OutgoingResponse, FetchFailure>) -> Void
    ) -> Cancellation
}

/// A handle that cancels an operation. Cancelling a finished operation does nothing.
package struct Cancellation: Sendable {
    private let body: @Sendable () -> Void

    /// A handle that calls `body` to cancel.
    package init(_ body: @escaping @Sendable () -> Void = {}) {
        self.body = body
    }

    /// Cancels the operation.
    package func cancel() {
        body()
    }
}

/// The reason that no response arrived. A response with an error status is not a failure.
public struct FetchFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The request is invalid.
        case refused
        /// No server could be reached.
        case unreachable
        /// The time limit has passed.
        case timedOut
        /// The connection ended early, or the response is not valid HTTP.
        case broken
        /// The response exceeds the size limit.
        case tooLarge
        /// Too many redirects, or a redirect to a forbidden address.
        case redirected
    }

    /// The kind of failure.
    public let kind: Kind
    /// The failure in words.
    public let description: String

    /// A failure.
    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}

/// A fetcher for a server without outgoing requests: every request fails.
package final class NoFetcher: Fetcher {
    /// Creates the fetcher.
    package init() {}

    /// Fails as `unreachable`.
    package func fetch(
        _ request: OutgoingRequest, _ done: @escaping @Sendable (Result<OutgoingResponse, FetchFailure>) -> Void
    ) -> Cancellation {
        done(.failure(FetchFailure(.unreachable, "this server was given no way to fetch \(request.place)")))
        return Cancellation()
    }
}
