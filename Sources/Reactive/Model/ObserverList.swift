/// Those outside the graph who watch one observable: they are told, when a turn has settled, of all that it delivered in that turn.
@usableFromInline
final class ObserverList<Value>: AnyObserverList {
    @usableFromInline var observers = Links<Observer<Value>>(isOfListeners: true)
    /// What is to be told: the value delivered last in this turn,
    @usableFromInline var latest: Value?
    /// those before it, where an operator delivered several,
    @usableFromInline var earlier: [Value] = []
    /// and the end.
    @usableFromInline var end: End?
    /// Whether there is something to be told.
    @usableFromInline var isPending = false
    /// What they watch, until it ends.
    @usableFromInline var observable: Observable<Value>?

    @usableFromInline let graph: Graph

    @inlinable
    init(of observable: Observable<Value>, in graph: Graph) {
        self.observable = observable
        self.graph = graph
        super.init { list in unsafe unsafeDowncast(list, to: ObserverList<Value>.self).deliver() }
    }

    @inlinable
    func collect(_ value: Value) {
        if let latest { earlier.append(latest) }
        latest = value
        notePending()
    }

    @usableFromInline
    func collect(_ end: End) {
        self.end = end
        notePending()
        detach()
    }

    @inlinable
    func notePending() {
        guard !isPending else { return }
        isPending = true
        graph.pendingDeliveries.append(self)
    }

    @inlinable
    func deliver() {
        isPending = false
        if !earlier.isEmpty { deliverEarlier() }
        if let latest {
            self.latest = nil
            var walk = observers.walk()
            while let observer = unsafe observers.next(of: &walk) {
                unsafe observer._withUnsafeGuaranteedRef { $0.receive(latest) }
            }
            if observers.needsSweep { observers.sweep() }
        }
        if let end { deliver(end) }
    }

    @usableFromInline
    func deliverEarlier() {
        let values = earlier
        earlier.removeAll(keepingCapacity: true)
        for value in values {
            var walk = observers.walk()
            while let observer = unsafe observers.next(of: &walk) {
                unsafe observer._withUnsafeGuaranteedRef { $0.receive(value) }
            }
            if observers.needsSweep { observers.sweep() }
        }
    }

    @usableFromInline
    func deliver(_ end: End) {
        var walk = observers.walk()
        while let observer = unsafe observers.next(of: &walk) {
            unsafe observer._withUnsafeGuaranteedRef { observer in
                observer.isLive = false
                observers.remove(observer)
                observer.end(end)
            }
        }
        if observers.needsSweep { observers.sweep() }
    }

    /// Lets go of a watcher that has been cancelled.
    @usableFromInline
    func drop(_ observer: Observer<Value>) {
        observers.remove(observer)
        guard observers.count == 0, let observable else { return }
        detach()
        observable.stopIfUnobserved()
    }

    /// From here on, a new watcher of the observable founds an audience of its own.
    private func detach() {
        guard let observable else { return }
        unsafe observable.observerList = nil
        self.observable = nil
    }
}
