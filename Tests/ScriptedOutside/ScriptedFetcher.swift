package import StateStore
import Synchronization

/// A fetcher that a test controls: each request waits until the test answers it.
package final class ScriptedFetcher: Fetcher {
    private struct PendingFetch {
        let request: OutgoingRequest
        let done: @Sendable (Result<OutgoingResponse, FetchFailure>) -> Void
        var isOver = false
        var isCancelled = false

        var isUnderWay: Bool { !isOver && !isCancelled }
    }

    private let flights = Mutex<[PendingFetch]>([])

    /// Creates a fetcher without requests.
    package init() {}

    /// Records a request.
    package func fetch(
        _ request: OutgoingRequest, _ done: @escaping @Sendable (Result<OutgoingResponse, FetchFailure>) -> Void
    ) -> Cancellation {
        let index = flights.withLock { flights in
            flights.append(PendingFetch(request: request, done: done))
            return flights.count - 1
        }
        return Cancellation { [self] in
            flights.withLock { if !$0[index].isOver { $0[index].isCancelled = true } }
        }
    }

    /// The requests so far, in order.
    package var requests: [OutgoingRequest] { flights.withLock { $0.map(\.request) } }

    /// The URLs of the requests so far, in order.
    package var asked: [String] { requests.map(\.url) }

    /// The URLs of the requests in progress.
    package var underWay: [String] { flights.withLock { $0.filter(\.isUnderWay).map(\.request.url) } }

    /// The URLs of the cancelled requests.
    package var cancelled: [String] { flights.withLock { $0.filter(\.isCancelled).map(\.request.url) } }

    /// Answers the first request in progress whose URL contains `place`; returns false if there is none.
    @discardableResult
    package func answer(_ place: String, _ result: Result<OutgoingResponse, FetchFailure>) -> Bool {
        let done = flights.withLock { flights -> (@Sendable (Result<OutgoingResponse, FetchFailure>) -> Void)? in
            let exact = flights.firstIndex { $0.isUnderWay && $0.request.url == place }
            guard let index = exact ?? flights.firstIndex(where: { $0.isUnderWay && $0.request.url.contains(place) })
            else { return nil }
            flights[index].isOver = true
            return flights[index].done
        }
        done?(result)
        return done != nil
    }

    /// Answers with a text, or fails the request.
    @discardableResult
    package func answer(
        _ place: String, _ body: String = "", status: Int = 200, fields: [OutgoingRequest.HeaderField] = [],
        failing: Bool = false
    ) -> Bool {
        let response = OutgoingResponse(status: status, fields: fields, body: Array(body.utf8))
        return answer(place, failing ? .failure(FetchFailure(.broken, "the connection ended")) : .success(response))
    }
}

extension String {
    /// True if the text contains `other`.
    fileprivate func contains(_ other: String) -> Bool {
        guard !other.isEmpty else { return true }
        let (text, part) = (Array(utf8), Array(other.utf8))
        guard text.count >= part.count else { return false }
        return (0...text.count - part.count).contains { text[$0..<$0 + part.count].elementsEqual(part) }
    }
}
