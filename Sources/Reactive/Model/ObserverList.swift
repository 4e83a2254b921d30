/// The observers of one observable. After a turn has settled, they receive all events of the observable in that turn.
@usableFromInline
final class ObserverList<Value>: AnyObserverList {
    @usableFromInline var observers = Links<Observer<Value>>(isOfListeners: true)
    /// The last value of this turn, to be delivered.
    @usableFromInline var latest: Value?
    /// The earlier values of this turn, if an operator delivered several.
    @usableFromInline var earlier: [Value] = []
    /// The end, to be delivered.
    @usableFromInline var end: End?
    /// True if there are events to deliver.
    @usableFromInline var isPending = false
    /// The observed observable, until it ends.
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

    /// Removes a cancelled observer.
    @usableFromInline
    func drop(_ observer: Observer<Value>) {
        observers.remove(observer)
        guard observers.count == 0, let observable else { return }
        detach()
        observable.stopIfUnobserved()
    }

    /// Detaches the list from its observable. A later observer of the observable gets a new list.
    private func detach() {
        guard let observable else { return }
        unsafe observable.observerList = nil
        self.observable = nil
    }
}
