/// A client of other servers. It never blocks the calling thread.
public protocol Fetcher: AnyObject, Sendable {
    /// Fetches something, and says once what came of it, on any thread. Where it was broken off before, that may be
    /// nothing.
    func fetch(
        _ request: OutgoingRequest, _ done: @escaping @Sendable (Result<OutgoingResponse, FetchFailure>) -> Void
    ) -> Cancellation
}

/// The right to break something off, which does nothing where it is over.
public struct Cancellation: Sendable {
    private let body: @Sendable () -> Void

    /// Something that is broken off by `body`.
    public init(_ body: @escaping @Sendable () -> Void = {}) {
        self.body = body
    }

    /// Breaks it off.
    public func cancel() {
        body()
    }
}

/// The reason that there is no response. A response of any status is one.
public struct FetchFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The request cannot be sent as it is.
        case refused
        /// Nobody was reached.
        case unreachable
        /// It took too long.
        case timedOut
        /// The connection ended, or what came is no HTTP.
        case broken
        /// More came than was asked for.
        case tooLarge
        /// Too many redirects, or one to where none may lead.
        case redirected
    }

    /// The kind of failure.
    public let kind: Kind
    /// The failure in words.
    public let description: String

    /// A failure.
    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}

/// A fetcher of a server that has no way out: nothing can be fetched.
public final class NoFetcher: Fetcher {
    /// The way out that there is not.
    public init() {}

    /// Fails.
    public func fetch(
        _ request: OutgoingRequest, _ done: @escaping @Sendable (Result<OutgoingResponse, FetchFailure>) -> Void
    ) -> Cancellation {
        done(.failure(FetchFailure(.unreachable, "this server was given no way to fetch \(request.place)")))
        return Cancellation()
    }
}
