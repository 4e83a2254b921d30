/// The subscription of an observer. It ends when it is cancelled or released; the observer receives no event after
/// that.
public final class Subscription {
    /// Released at the end, so that the memory its closures hold is freed.
    private var observer: AnyLink?
    /// Retained, so that the graph outlives everything active in it.
    private let graph: Graph

    @usableFromInline
    init(observer: AnyLink, graph: Graph) {
        self.observer = observer
        self.graph = graph
    }

    deinit {
        end()
    }

    /// Ends the subscription at once, also within a turn.
    public func cancel() {
        end()
    }

    private func end() {
        guard let observer else { return }
        self.observer = nil
        // Between turns, the cancellation is a turn of its own. A callback of a node that stops may request turns; they
        // run after all nodes have stopped.
        if graph.isBusy { observer.cancel() } else { graph.turn { observer.cancel() } }
    }
}

extension Observable {
    /// Observes this observable. After each turn with events, the observer receives its values and its end. The current
    /// value comes first, if the observable is stateful. An observation requested within a turn begins after it. It ends
    /// when the subscription is cancelled or released.
    ///
    ///     let subscription = count.map { $0 * 2 }.watch(in: graph) { print($0) }
    @inlinable
    public final func watch(
        in graph: Graph, receive: @escaping (Value) -> Void, end: @escaping (End) -> Void = { _ in }
    ) -> Subscription {
        let observer = Observer(receive: receive, end: end)
        if graph.isBuilding { graph.whenIdle { graph.finishForOthers(self) } }
        graph.startWhenIdle {
            if observer.isLive { self.admit(observer, in: graph) }
        }
        return Subscription(observer: observer, graph: graph)
    }

    @inlinable
    final func admit(_ observer: Observer<Value>, in graph: Graph) {
        precondition(unsafe !isActive || self.graph === graph, "an observable is observed in two graphs")
        if let observerList = unsafe observerList {
            unsafe observer.join(observerList.takeUnretainedValue())
            replay(to: observer.receive)
            if graph.isBuilding { noteObserved(in: graph) }
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
        if graph.isBuilding { noteObserved(in: graph) }
    }

    /// Makes the build that begins wait for the one because of which this observable is unfinished. Its observer gets the
    /// values of the slices.
    @usableFromInline
    final func noteObserved(in graph: Graph) {
        if let build = graph.unfinished(self) { graph.building?.depend(on: build) }
    }
}
