import StateStore
import Synchronization

/// An outside world that a test writes: what is asked of it waits until the test answers.
final class ScriptedFetcher: Fetcher {
    private struct Flight {
        let request: OutgoingRequest
        let done: @Sendable (Result<OutgoingResponse, FetchFailure>) -> Void
        var isOver = false
        var isCancelled = false
    }

    private let flights = Mutex<[Flight]>([])

    func fetch(
        _ request: OutgoingRequest, _ done: @escaping @Sendable (Result<OutgoingResponse, FetchFailure>) -> Void
    ) -> Cancellation {
        let index = flights.withLock { flights in
            flights.append(Flight(request: request, done: done))
            return flights.count - 1
        }
        return Cancellation { [self] in
            flights.withLock { if !$0[index].isOver { $0[index].isCancelled = true } }
        }
    }

    /// All that was ever asked, in order.
    var asked: [String] { flights.withLock { $0.map(\.request.url) } }

    /// What is waited for just now.
    var underWay: [String] { flights.withLock { $0.filter { !$0.isOver && !$0.isCancelled }.map(\.request.url) } }

    var cancelled: [String] { flights.withLock { $0.filter(\.isCancelled).map(\.request.url) } }

    /// Answers the first of a place that is waited for; whether there was one.
    @discardableResult
    func answer(_ url: String, _ body: String = "", failing: Bool = false) -> Bool {
        let done = flights.withLock { flights -> (@Sendable (Result<OutgoingResponse, FetchFailure>) -> Void)? in
            guard let index = flights.firstIndex(where: { !$0.isOver && !$0.isCancelled && $0.request.url == url }) else { return nil }
            flights[index].isOver = true
            return flights[index].done
        }
        done?(
            failing
                ? .failure(FetchFailure(.broken, "the connection ended")) : .success(OutgoingResponse(status: 200, body: Array(body.utf8))))
        return done != nil
    }
}
