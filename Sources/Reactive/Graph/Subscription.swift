/// The right to be told. It ends when it is cancelled or released; nothing is told after that.
public final class Subscription {
    /// Kept until the end, and not longer, so that what its closures hold is let go of.
    private var watcher: AnyLink?
    /// Kept, so that the graph outlives all that is active in it.
    private let graph: Graph

    @usableFromInline
    init(watcher: AnyLink, graph: Graph) {
        self.watcher = watcher
        self.graph = graph
    }

    deinit {
        end()
    }

    /// Ends it, at once: also within a turn.
    public func cancel() {
        end()
    }

    private func end() {
        guard let watcher else { return }
        self.watcher = nil
        // Between turns it is a turn of its own: whoever hears of what stops may ask for turns, and they come when all has stopped.
        if graph.isBusy { watcher.cancel() } else { graph.turn { watcher.cancel() } }
    }
}

extension Observable {
    /// Watches this observable: its values and its end are told after each turn in which there were any, beginning with the value that it has
    /// now. Within a turn, the watch begins after it.
    @inlinable
    package final func watch(
        in graph: Graph, receive: @escaping (Value) -> Void, end: @escaping (End) -> Void = { _ in }
    ) -> Subscription {
        let watcher = Watcher(receive: receive, end: end)
        graph.startWhenIdle {
            if watcher.isLive { self.admit(watcher, in: graph) }
        }
        return Subscription(watcher: watcher, graph: graph)
    }

    @inlinable
    final func admit(_ watcher: Watcher<Value>, in graph: Graph) {
        precondition(unsafe !isActive || self.graph === graph, "an observable is watched in two graphs")
        if let audience = unsafe audience {
            unsafe watcher.join(audience.takeUnretainedValue())
            greet(watcher.receive)
            return
        }
        let founded = Audience(of: self, in: graph)
        watcher.join(founded)
        unsafe audience = Unmanaged.passUnretained(founded)
        if isActive {
            greet { founded.hear($0) }
        } else {
            activate(in: graph)
        }
    }
}
