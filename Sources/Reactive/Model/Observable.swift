/// Something that delivers values over time, and then perhaps completes or fails.
///
/// An observable computes only while it is watched, and once however many watch it. It has no "value now": what depends on it is derived from
/// it by an operator, so whatever is derived has said all that it depends on.
@safe
public class Observable<Value>: Node {
    // What is touched with each value stands first, so that it lies together.

    /// Who listens, in the order in which they came.
    @usableFromInline final var links = Links<Link<Value>>(isOfListeners: true)
    /// Those outside the graph who listen. They keep each other, and leave when there is none of them left.
    @usableFromInline final var observerList: Unmanaged<ObserverList<Value>>?
    /// The value delivered last.
    @usableFromInline package final var latest: Value?

    /// What it takes to deliver: done when the first listener has come.
    @usableFromInline let start: (Observable<Value>) -> Void
    /// Undoes what `start` did beyond listening and setting alarms. Done when the last listener has gone.
    @usableFromInline package final var undo: (() -> Void)?
    /// The alarms it has set and that have not gone yet.
    @usableFromInline final var alarms: [ObjectIdentifier: Alarm] = [:]

    /// An observable that, when the first listener has come, is started by `start`. The function that makes it is the operator it is of.
    @inlinable
    package init(madeBy maker: StaticString = #function, start: @escaping (Observable<Value>) -> Void) {
        self.start = start
        super.init(madeBy: maker)
    }

    // MARK: Delivering

    /// Delivers a value to all who listen.
    @inlinable
    package final func emit(_ value: Value) {
        guard isActive else { return }
        latest = value
        unsafe observerList?._withUnsafeGuaranteedRef { $0.collect(value) }
        var walk = links.walk()
        while let link = unsafe links.next(of: &walk) {
            unsafe link._withUnsafeGuaranteedRef { $0.receive(value) }
        }
        if links.needsSweep { links.sweep() }
    }

    /// Delivers the end to all who listen, and becomes inactive: one who comes later finds it as it was in the beginning.
    @inlinable
    package final override func finish(_ end: End) {
        guard isActive else { return }
        unsafe observerList?._withUnsafeGuaranteedRef { $0.collect(end) }
        deactivate()
        var walk = links.walk()
        while let link = unsafe links.next(of: &walk) {
            unsafe link._withUnsafeGuaranteedRef { link in
                link.isLive = false
                link.listener?.sources.noteEnded()
                links.remove(link)
                if let ending = link.end { ending(end) } else { link.listener?.finish(end) }
            }
        }
        if links.needsSweep { links.sweep() }
    }

    /// Runs a closure of the user's, and fails if it throws.
    @inlinable
    package final func attempt(_ body: () throws -> Void) {
        do { try body() } catch { finish(.failed(error)) }
    }

    // MARK: Listening

    /// Has this observable listen to another for as long as it is active.
    @inlinable
    @discardableResult
    package final func listen<Input>(
        to source: Observable<Input>, isSideInput: Bool = false, wantsReplay: Bool = true, receive: @escaping (Input) -> Void,
        end: ((End) -> Void)? = nil
    ) -> Link<Input> {
        let link = Link(from: source, to: self, receive: receive, end: end)
        link.isSideInput = isSideInput
        link.wantsReplay = wantsReplay
        // What it listened to before may have ended it.
        guard let graph = unsafe graph else {
            link.isLive = false
            return link
        }
        sources.append(link)
        source.add(link, in: graph)
        return link
    }

    @inlinable
    final func add(_ link: Link<Value>, in graph: Graph) {
        if isActive {
            precondition(unsafe self.graph === graph, "an observable is watched in two graphs")
            if graph.order == .byHeight { link.listener?.raise(over: height) }
            if !graph.hasSettled(height) { return addOnceSettled(to: link, in: graph) }
            links.append(link)
            if link.wantsReplay { replay(to: link.receive) }
        } else if links.readers > 0, graph.order == .onArrival {
            // It has stopped while it was delivering, and what it was doing is still under way: it is begun anew when that is over.
            graph.postpone(Joint { if link.isLive { self.add(link, in: graph) } })
        } else {
            links.append(link)
            activate(in: graph)
            if graph.order == .byHeight { link.listener?.raise(over: height) }
        }
    }

    /// Adds a link once this observable has settled, so that the newcomer is told the value of this turn and not the one before.
    @usableFromInline
    final func addOnceSettled(to link: Link<Value>, in graph: Graph) {
        let joint = Joint { if link.isLive { self.add(link, in: graph) } }
        joint.height = height + 1
        graph.schedule(joint)
    }

    /// Tells a newcomer what is so.
    @usableFromInline
    func replay(to listener: (Value) -> Void) {
        if let latest, isStateful { listener(latest) }
    }

    /// Lets go of a link that has been cancelled.
    @usableFromInline
    final func drop(_ link: Link<Value>) {
        links.remove(link)
        stopIfUnobserved()
    }

    /// Whether anybody listens.
    @usableFromInline final var hasListeners: Bool { unsafe links.count > 0 || observerList != nil }

    @usableFromInline
    final func stopIfUnobserved() {
        guard !hasListeners, isActive, let graph = unsafe graph else { return }
        // In the midst of delivering it must stop at once, since a source may have no end of values.
        if links.readers == 0, graph.isSettling { graph.noteAbandoned(self) } else { deactivate() }
    }

    final override func stopIfAbandoned() {
        if isActive, !hasListeners { deactivate() }
    }

    // MARK: Activity

    @inlinable
    final func activate(in graph: Graph) {
        unsafe self.graph = graph
        isActive = true
        graph.noteActive(self)
        start(self)
        if !isActive { undoStart() }
    }

    @usableFromInline
    final func deactivate() {
        unsafe graph.unsafelyUnwrapped.noteInactive(self)
        unsafe graph = nil
        isActive = false
        undoStart()
        joint?.retire()
        joint = nil
        height = 0
        statefulness = .ifAllSources
        latest = nil
        var walk = sources.walk()
        while let link = unsafe sources.next(of: &walk) {
            unsafe link._withUnsafeGuaranteedRef { $0.cancel() }
        }
        if sources.needsSweep { sources.sweep() }
    }

    @usableFromInline
    final func undoStart() {
        undo?()
        undo = nil
        for alarm in alarms.values { alarm.cancel() }
        alarms.removeAll()
    }

    @usableFromInline
    final override func raiseListeners() {
        var walk = links.walk()
        while let link = unsafe links.next(of: &walk) {
            unsafe link._withUnsafeGuaranteedRef { $0.listener?.raise(over: height) }
        }
    }
}
