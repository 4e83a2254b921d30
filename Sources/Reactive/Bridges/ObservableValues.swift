import Synchronization

/// The values of an observable as an asynchronous sequence. It ends with the observable, and throws its failure.
///
///     for try await count in count.values(in: graph) { print(count) }
///
/// Each iteration observes anew, from `makeAsyncIterator` until the iterator is released or the task is cancelled.
/// Precondition: the sequence is iterated in the isolation of the graph.
public struct ObservableValues<Value>: AsyncSequence {
    fileprivate let source: Observable<Value>
    fileprivate let graph: Graph
    fileprivate let limit: Int

    /// Begins to observe.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// An observation, which keeps the values until they are asked for.
    public struct Iterator: AsyncIteratorProtocol {
        private let mailbox = ValueMailbox<Value>()
        private let subscription: Subscription

        fileprivate init(_ values: ObservableValues<Value>) {
            let (mailbox, limit) = (mailbox, values.limit)
            subscription = values.source.watch(
                in: values.graph, receive: { mailbox.put(.value($0), limit: limit) },
                end: { mailbox.put(.end($0), limit: .max) })
        }

        /// Returns the next value; nil after the end, and after the task was cancelled.
        public mutating func next(isolation: isolated (any Actor)? = #isolation) async throws -> Value? {
            while !Task.isCancelled {
                switch mailbox.take() {
                case .value(let value)?: return value
                case .end(.completed)?: return nil
                case .end(.failed(let error))?: throw error
                case nil: await mailbox.bell.wait(isolation: isolation)
                }
            }
            subscription.cancel()
            return nil
        }
    }
}

extension Observable {
    /// The values as an asynchronous sequence. Values that nobody has asked for yet wait, the newest `limit` of them.
    public func values(in graph: Graph, keeping limit: Int = .max) -> ObservableValues<Value> {
        precondition(limit > 0, "a sequence keeps one value at least")
        return ObservableValues(source: self, graph: graph, limit: limit)
    }
}

/// The events that wait for an iterator.
private final class ValueMailbox<Value> {
    let bell = MailboxBell()
    private var events: [Event<Value>] = []
    private var isOver = false

    func put(_ event: Event<Value>, limit: Int) {
        if events.count >= limit { events.removeFirst() }
        events.append(event)
        bell.ring()
    }

    func take() -> Event<Value>? {
        if isOver { return .end(.completed) }
        guard !events.isEmpty else { return nil }
        let event = events.removeFirst()
        if case .end = event { isOver = true }
        return event
    }
}

/// Wakes the one task that waits for an event. A cancellation wakes it from any thread.
private final class MailboxBell: Sendable {
    private enum BellState {
        case silent, rung
        case awaited(CheckedContinuation<Void, Never>)
    }

    private let state = Mutex(BellState.silent)

    func ring() {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard case .awaited(let continuation) = state else {
                state = .rung
                return nil
            }
            state = .silent
            return continuation
        }
        waiting?.resume()
    }

    func wait(isolation: isolated (any Actor)?) async {
        await withTaskCancellationHandler(
            operation: {
                await withCheckedContinuation(isolation: isolation) { continuation in
                    let isRung = state.withLock { state in
                        if case .rung = state {
                            state = .silent
                            return true
                        }
                        state = .awaited(continuation)
                        return false
                    }
                    if isRung { continuation.resume() }
                }
            }, onCancel: { ring() }, isolation: isolation)
    }
}
