import Reactive

/// The subscribers to notify, and the failed views to retry, when a turn of the graph ends.
final class ViewUpdates {
    private let graph: Graph
    private var dirty: [ViewSubscriber] = []
    private var failed: [ViewCell] = []
    private var isDeferred = false

    /// The memory of the watched instances of views.
    let instanceMemory = InstanceMemory()
    /// The key of the digests of values.
    let digestKey: DigestKey

    init(_ graph: Graph, _ digestKey: DigestKey) {
        self.graph = graph
        self.digestKey = digestKey
    }

    /// Notifies a subscriber at the end of the turn.
    func noteDirty(_ subscriber: ViewSubscriber) {
        dirty.append(subscriber)
        graph.isEndAwaited = true
    }

    /// Retries a watched view that has failed, in a turn right after this one.
    func noteFailed(_ cell: ViewCell) {
        failed.append(cell)
        graph.isEndAwaited = true
    }

    /// Notifies the dirty subscribers.
    func notify() {
        guard !dirty.isEmpty, !isDeferred else { return }
        let subscribers = dirty
        dirty = []
        for subscriber in subscribers { subscriber.notify() }
    }

    /// Runs `body` and notifies once at its end, so that all values are of one moment. Failed views are retried then too:
    /// `body` gives the cells their new views one after the other, each in turns of its own.
    func notifyOnce(_ body: () -> Void) {
        isDeferred = true
        body()
        isDeferred = false
        endTurn()
    }

    /// Ends a turn of the graph.
    func endTurn() {
        if !failed.isEmpty, !isDeferred {
            let cells = failed
            failed = []
            for cell in cells { cell.retry() }
        }
        notify()
    }
}
