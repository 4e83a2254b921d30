/// Those outside the graph who watch one observable: they are told, when a turn has settled, of all that it delivered in that turn.
@usableFromInline
final class Audience<Value>: Node {
    @usableFromInline var watchers = Links<Watcher<Value>>()
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

    @inlinable
    init() {
        super.init(answer: { node, _ in unsafe unsafeDowncast(node, to: Audience<Value>.self).tell() })
    }

    @inlinable
    func attend(_ observable: Observable<Value>, in graph: Graph) {
        self.observable = observable
        unsafe self.graph = graph
        let link = Link(from: observable, to: self, receive: { self.hear($0) }, end: { self.hear($0) })
        sources.append(link)
        observable.add(link, in: graph)
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
        unsafe graph.unsafelyUnwrapped.heard.append(self)
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
        }
    }

    @usableFromInline
    func tell(_ end: End) {
        var walk = watchers.walk()
        while let watcher = unsafe watchers.next(of: &walk) {
            unsafe watcher._withUnsafeGuaranteedRef { watcher in
                watcher.isLive = false
                watchers.noteEnded()
                watcher.end(end)
            }
        }
    }

    /// Lets go of a watcher that has been cancelled.
    @usableFromInline
    func drop() {
        watchers.noteEnded()
        if watchers.count == 0, observable != nil { leave() }
    }

    private func leave() {
        part()
        var walk = sources.walk()
        while let link = unsafe sources.next(of: &walk) {
            unsafe link._withUnsafeGuaranteedRef { $0.cancel() }
        }
    }

    /// From here on, a new watcher of the observable founds an audience of its own.
    private func part() {
        observable?.audience = nil
        observable = nil
    }
}
