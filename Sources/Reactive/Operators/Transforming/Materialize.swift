extension Observable {
    /// Delivers each event, including the end, as a value, then completes.
    @inlinable
    public func materialize() -> Observable<Event<Value>> {
        lift(
            receive: { value, output in output.emit(.value(value)) },
            end: { end, output in
                output.emit(.end(end))
                output.finish(.completed)
            })
    }

    /// Delivers the events that the values represent: the inverse of `materialize`.
    @inlinable
    public func dematerialize<Output>() -> Observable<Output> where Value == Event<Output> {
        lift { event, output in
            switch event {
            case .value(let value): output.emit(value)
            case .end(let end): output.finish(end)
            }
        }
    }
}
