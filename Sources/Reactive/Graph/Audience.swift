/// Those outside the graph who watch one observable, whatever the type of its values.
@usableFromInline
class AnyAudience {
    /// Tells them. A stored function for the reason that a variable has one.
    @usableFromInline let tell: (AnyAudience) -> Void

    @inlinable
    init(tell: @escaping (AnyAudience) -> Void) {
        self.tell = tell
    }
}

/// Those outside the graph who watch one observable: they are told, when a turn has settled, of all that it delivered in that turn.
@usableFromInline
final class Audience<Value>: AnyAudience {
    @usableFromInline var watchers = Links<Watcher<Value>>(isOfListeners: true)
    /// What is to be told: the value delivered last in this turn,
    @usableFromInline var latest: Value?
    /// those before it, where an operator delivered several,
    @usableFromInline var earlier: [Value] = []
    /// and the end.
    @usableFromInline var end: End?
    /// Whether there is something to be told.
    @usableFromInline var isHeard = false
    /// What they watch, until it ends.
    @usableFromInline var observable: Observable<Value>?

    @usableFromInline let graph: Graph

    @inlinable
    init(of observable: Observable<Value>, in graph: Graph) {
        self.observable = observable
        self.graph = graph
        super.init { audience in unsafe unsafeDowncast(audience, to: Audience<Value>.self).tell() }
    }

    @inlinable
    func hear(_ value: Value) {
        if let latest { earlier.append(latest) }
        latest = value
        noteHeard()
    }

    @usableFromInline
    func hear(_ end: End) {
        self.end = end
        noteHeard()
        part()
    }

    @inlinable
    func noteHeard() {
        guard !isHeard else { return }
        isHeard = true
        graph.heard.append(self)
    }

    @inlinable
    func tell() {
        isHeard = false
        if !earlier.isEmpty { tellEarlier() }
        if let latest {
            self.latest = nil
            var walk = watchers.walk()
            while let watcher = unsafe watchers.next(of: &walk) {
                unsafe watcher._withUnsafeGuaranteedRef { $0.receive(latest) }
            }
            if watchers.needsSweep { watchers.sweep() }
        }
        if let end { tell(end) }
    }

    @usableFromInline
    func tellEarlier() {
        let values = earlier
        earlier.removeAll(keepingCapacity: true)
        for value in values {
            var walk = watchers.walk()
            while let watcher = unsafe watchers.next(of: &walk) {
                unsafe watcher._withUnsafeGuaranteedRef { $0.receive(value) }
            }
            if watchers.needsSweep { watchers.sweep() }
        }
    }

    @usableFromInline
    func tell(_ end: End) {
        var walk = watchers.walk()
        while let watcher = unsafe watchers.next(of: &walk) {
            unsafe watcher._withUnsafeGuaranteedRef { watcher in
                watcher.isLive = false
                watchers.remove(watcher)
                watcher.end(end)
            }
        }
        if watchers.needsSweep { watchers.sweep() }
    }

    /// Lets go of a watcher that has been cancelled.
    @usableFromInline
    func drop(_ watcher: Watcher<Value>) {
        watchers.remove(watcher)
        guard watchers.count == 0, let observable else { return }
        part()
        observable.stopIfUnheard()
    }

    /// From here on, a new watcher of the observable founds an audience of its own.
    private func part() {
        guard let observable else { return }
        unsafe observable.audience = nil
        self.observable = nil
    }
}
