import JSON
package import Reactive

/// One run of a stream from its start, for one listener. It ends when it is cancelled or released, and leaves no alarm.
package final class StreamRun {
    private var subscription: Subscription?

    /// Starts a run. It delivers the events of the first instant before this returns, and none after the end or a
    /// failure.
    package init(
        _ program: StreamProgram, on scheduler: any Scheduler, sources: ExternalSources,
        receive: @escaping (StreamEvent) -> Void
    ) {
        // A program of live views computes by height, like the views, so it never sees half of a commit.
        let graph = Graph(order: program.isLive ? .byHeight : .onArrival)
        subscription = program.observable(on: scheduler, sources).watch(
            in: graph, receive: { receive(.value($0)) }, end: { receive(StreamEvent($0)) })
    }

    /// Ends the run. No event follows.
    package func cancel() {
        subscription?.cancel()
        subscription = nil
    }
}
