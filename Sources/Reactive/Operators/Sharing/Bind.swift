extension Observable {
    /// Sends all events of this observable, including the end, to a subject. Each is sent in a turn after the one that
    /// delivered it.
    public func bind(to subject: Subject<Value>, in graph: Graph) -> Subscription {
        watch(in: graph, receive: { subject.send($0) }, end: { subject.send($0) })
    }
}
