/// The right to be told. It ends when it is cancelled or released; nothing is told after that.
public final class Subscription {
    /// Kept until the end, and not longer, so that what its closures hold is let go of.
    private var observer: AnyLink?
    /// Kept, so that the graph outlives all that is active in it.
    private let graph: Graph

    @usableFromInline
    init(observer: AnyLink, graph: Graph) {
        self.observer = observer
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
        guard let observer else { return }
        self.observer = nil
        // Between turns it is a turn of its own: whoever hears of what stops may ask for turns, and they come when all has stopped.
        if graph.isBusy { observer.cancel() } else { graph.turn { observer.cancel() } }
    }
}

extension Observable {
    /// Watches this observable: its values and its end are told after each turn in which there were any, beginning with the value that it has
    /// now. Within a turn, the watch begins after it.
    @inlinable
    package final func watch(
        in graph: Graph, receive: @escaping (Value) -> Void, end: @escaping (End) -> Void = { _ in }
    ) -> Subscription {
        let observer = Observer(receive: receive, end: end)
        graph.startWhenIdle {
            if observer.isLive { self.admit(observer, in: graph) }
        }
        return Subscription(observer: observer, graph: graph)
    }

    @inlinable
    final func admit(_ observer: Observer<Value>, in graph: Graph) {
        precondition(unsafe !isActive || self.graph === graph, "an observable is watched in two graphs")
        if let observerList = unsafe observerList {
            unsafe observer.join(observerList.takeUnretainedValue())
            replay(to: observer.receive)
            return
        }
        let list = ObserverList(of: self, in: graph)
        observer.join(list)
        unsafe observerList = Unmanaged.passUnretained(list)
        if isActive {
            replay { list.collect($0) }
        } else {
            activate(in: graph)
        }
    }
}
