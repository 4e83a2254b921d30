extension Observable {
    /// This, and where it would fail, a value and the end.
    @inlinable
    public func replaceError(with value: Value) -> Observable<Value> {
        lift(
            receive: { value, output in output.emit(value) },
            end: { end, output in
                if case .failed = end { output.emit(value) }
                output.finish(.completed)
            })
    }
}
