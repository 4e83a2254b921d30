extension Observable {
    /// Sends all that this delivers, the end too, to a subject, each in a turn after the one in which it was delivered.
    public func bind(to subject: Subject<Value>, in graph: Graph) -> Subscription {
        watch(in: graph, receive: { subject.send($0) }, end: { subject.send($0) })
    }
}
