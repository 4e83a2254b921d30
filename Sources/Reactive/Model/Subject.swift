/// A source of events. Events do not replay: a later listener does not receive them.
public final class Subject<Value>: Observable<Value> {
    /// The end, if it was sent.
    @usableFromInline var ending: End?

    /// Creates a subject to which nothing has been sent.
    @inlinable
    public init() {
        super.init(madeBy: "subject") { node in
            let subject = unsafe unsafeDowncast(node, to: Subject<Value>.self)
            subject.statefulness = .never
            if let ending = subject.ending { subject.finish(ending) }
        }
    }

    /// Delivers a value in a turn of its own: at once or, within a turn, after it. A value sent without a listener is
    /// lost. A listener that subscribes within a turn receives values only from the end of that turn on.
    @inlinable
    public func send(_ value: Value) {
        guard ending == nil, let graph = unsafe graph else { return }
        if graph.isBusy { graph.postpone { self.emit(value) } } else { graph.turn { self.emit(value) } }
    }

    /// Ends the subject for good.
    @inlinable
    public func send(_ end: End) {
        guard ending == nil else { return }
        ending = end
        guard let graph = unsafe graph else { return }
        graph.whenIdle { self.finish(end) }
    }
}
