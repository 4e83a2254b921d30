extension Observable {
    /// Emits `value` and completes if the source fails.
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
