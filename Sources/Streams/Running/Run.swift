public import JSON
public import Reactive

/// One run of a stream, from the start, for one who listens. It ends when it is cancelled or released, and leaves no timer behind.
public final class Run {
    /// What is told.
    public enum Event: Hashable, Sendable {
        /// A value.
        case value(JSON)
        /// There will be no more.
        case end
        /// It has failed.
        case failure(StreamFailure)
    }

    private var subscription: Subscription?

    /// Begins a run. What it delivers at once is told before this returns; nothing is told after the end or a failure.
    public init(_ program: Program, on scheduler: any Scheduler, feeds: Feeds, receive: @escaping (Event) -> Void) {
        // What is derived of live views alone is never computed from half of a commit, as in the views themselves.
        let graph = Graph(order: program.isLive ? .byHeight : .onArrival)
        subscription = program.observable(on: scheduler, feeds).watch(
            in: graph, receive: { receive(.value($0)) }, end: { receive(Event($0)) })
    }

    /// Ends it: nothing is told any more.
    public func cancel() {
        subscription?.cancel()
        subscription = nil
    }
}

extension Run.Event {
    init(_ end: End) {
        switch end {
        case .completed: self = .end
        case .failed(let error): self = .failure(StreamFailure(error))
        }
    }
}
