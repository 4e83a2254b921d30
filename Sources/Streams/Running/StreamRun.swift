import JSON
public import Reactive

/// One run of a stream, from the start, for one who listens. It ends when it is cancelled or released, and leaves no timer behind.
public final class StreamRun {
    private var subscription: Subscription?

    /// Begins a run. What it delivers at once is told before this returns; nothing is told after the end or a failure.
    public init(_ program: StreamProgram, on scheduler: any Scheduler, sources: ExternalSources, receive: @escaping (StreamEvent) -> Void) {
        // What is derived of live views alone is never computed from half of a commit, as in the views themselves.
        let graph = Graph(order: program.isLive ? .byHeight : .onArrival)
        subscription = program.observable(on: scheduler, sources).watch(
            in: graph, receive: { receive(.value($0)) }, end: { receive(StreamEvent($0)) })
    }

    /// Ends it: nothing is told any more.
    public func cancel() {
        subscription?.cancel()
        subscription = nil
    }
}
