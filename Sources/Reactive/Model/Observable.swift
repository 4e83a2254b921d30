/// A source of values over time that may complete or fail.
///
/// An observable computes only while it is observed, and once for any number of observers. It has no readable current
/// value: dependent values are derived with operators, so each derivation names all its inputs.
@safe
public class Observable<Value>: Node {
    // The fields used for each value come first, so that they share a cache line.

    /// The listeners within the graph, in order of subscription.
    @usableFromInline final var links = Links<Link<Value>>(isOfListeners: true)
    /// The observers outside the graph. The observers retain the list; it is released with the last of them.
    @usableFromInline final var observerList: Unmanaged<ObserverList<Value>>?
    /// The value delivered last.
    @usableFromInline package final var latest: Value?

    /// Subscribes to the sources. Called when the first listener arrives.
    @usableFromInline let start: (Observable<Value>) -> Void
    /// Undoes effects of `start` other than links and alarms. Called when the last listener has left.
    @usableFromInline package final var undo: (() -> Void)?
    /// The alarms that are set and have not fired.
    @usableFromInline final var alarms: [ObjectIdentifier: Alarm] = [:]

    /// Creates an observable that `start` starts when the first listener arrives. The name of the calling function is
    /// the operator's name.
    @inlinable
    package init(madeBy maker: StaticString = #function, start: @escaping (Observable<Value>) -> Void) {
        self.start = start
        super.init(madeBy: maker)
    }

    @usableFromInline
    package final override var latestText: String? {
        latest.map { value in
            let text = "\(value)"
            return text.unicodeScalars.count > 80 ? String(text.prefix(80)) + "…" : text
        }
    }

    // MARK: Delivering

    /// Delivers a value to all listeners.
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

    /// Delivers the end to all listeners and deactivates the observable. A later listener starts it again from the
    /// beginning.
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

    /// Runs a closure of the feature author, and fails if it throws.
    @inlinable
    package final func attempt(_ body: () throws -> Void) {
        do { try body() } catch { finish(.failed(error)) }
    }

    // MARK: Listening

    /// Subscribes this observable to `source` for as long as this observable is active.
    @inlinable
    @discardableResult
    package final func listen<Input>(
        to source: Observable<Input>, isSideInput: Bool = false, wantsReplay: Bool = true,
        receive: @escaping (Input) -> Void,
        end: ((End) -> Void)? = nil
    ) -> Link<Input> {
        if let graph = unsafe graph, graph.isBuilding {
            return listenInSlices(
                to: source, isSideInput: isSideInput, wantsReplay: wantsReplay, receive: receive, end: end, in: graph)
        }
        let link = Link(from: source, to: self, receive: receive, end: end)
        link.isSideInput = isSideInput
        link.wantsReplay = wantsReplay
        // A source subscribed earlier may already have ended this observable.
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
            precondition(unsafe self.graph === graph, "an observable is observed in two graphs")
            if graph.order == .byHeight { link.listener?.raise(over: height) }
            if !graph.hasSettled(height) { return addOnceSettled(to: link, in: graph) }
            links.append(link)
            if link.wantsReplay { replay(to: link.receive) }
        } else if links.readers > 0, graph.order == .onArrival {
            // The observable stopped while it was delivering, and that delivery is still under way. It starts again
            // after the delivery.
            graph.postpone(Joint { if link.isLive { self.add(link, in: graph) } })
        } else {
            links.append(link)
            activate(in: graph)
            if graph.order == .byHeight { link.listener?.raise(over: height) }
        }
    }

    /// Adds a link after this observable has settled, so that the new listener receives the value of this turn and not
    /// the previous one.
    @usableFromInline
    final func addOnceSettled(to link: Link<Value>, in graph: Graph) {
        let joint = Joint { if link.isLive { self.add(link, in: graph) } }
        joint.height = height + 1
        graph.schedule(joint)
    }

    /// Delivers the latest value to a new listener if this observable is stateful.
    @usableFromInline
    func replay(to listener: (Value) -> Void) {
        if let latest, isStateful { listener(latest) }
    }

    /// Returns the way of the rows to a listener that takes them in slices; nil for no table, and for a small one.
    @usableFromInline
    func slices(_ receive: @escaping (Value) -> Void) -> RowSlices<Value>? { nil }

    /// Removes a cancelled link.
    @usableFromInline
    final func drop(_ link: Link<Value>) {
        links.remove(link)
        stopIfUnobserved()
    }

    /// True if the observable has a listener or an observer.
    @usableFromInline final var hasListeners: Bool { unsafe links.count > 0 || observerList != nil }

    @usableFromInline
    final func stopIfUnobserved() {
        guard !hasListeners, isActive, let graph = unsafe graph else { return }
        // An observable that is delivering must stop at once, because its source may be endless.
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
        if unsafe graph.unsafelyUnwrapped.isBuilding { unsafe graph.unsafelyUnwrapped.forgetUnfinished(self) }
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

extension Observable {
    /// Runs `action` in a turn of its own after `duration`, unless this observable is inactive by then.
    @usableFromInline
    @discardableResult
    package final func after(
        _ duration: Duration, on scheduler: any Scheduler, _ action: @escaping () throws -> Void
    ) -> Alarm {
        guard let graph = unsafe graph else { preconditionFailure("after() on an inactive observable") }
        let alarm = Alarm(at: scheduler.now + Swift.max(duration, .zero)) { alarm in
            graph.whenIdle {
                guard !alarm.isCancelled else { return }
                self.alarms[ObjectIdentifier(alarm)] = nil
                self.attempt(action)
            }
        }
        alarms[ObjectIdentifier(alarm)] = alarm
        scheduler.set(alarm)
        return alarm
    }

    /// Cancels an alarm that `after` returned.
    @usableFromInline
    package final func cancel(_ alarm: Alarm?) {
        guard let alarm else { return }
        alarm.cancel()
        alarms[ObjectIdentifier(alarm)] = nil
    }
}
