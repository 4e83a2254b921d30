/// A source of events, which happen and are over: whoever comes later does not hear of them.
public final class Subject<Value>: Observable<Value> {
    /// The end, once it was sent.
    @usableFromInline var ending: End?

    /// A subject to which nothing has been sent.
    @inlinable
    public init() {
        super.init(madeBy: "subject") { node in
            let subject = unsafe unsafeDowncast(node, to: Subject<Value>.self)
            subject.statefulness = .never
            if let ending = subject.ending { subject.finish(ending) }
        }
    }

    /// Delivers a value in a turn of its own: now or, within a turn, after it. Where nobody listens just now it is lost, also if somebody has asked to
    /// within the turn under way: they listen from its end on.
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
