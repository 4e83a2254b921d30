extension Observable {
    /// Each event as a value, the end too; then completes.
    @inlinable
    public func materialize() -> Observable<Event<Value>> {
        lift(
            receive: { value, output in output.emit(.value(value)) },
            end: { end, output in
                output.emit(.end(end))
                output.finish(.completed)
            })
    }

    /// The events that the values are: the opposite of `materialize`.
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
