extension Observable {
    /// Emits `value` if the source completes without emitting.
    @inlinable
    public func replaceEmpty(with value: Value) -> Observable<Value> {
        lift(
            keeping: true,
            receive: { isEmpty, value, output in
                isEmpty = false
                output.emit(value)
            },
            end: { isEmpty, end, output in
                if case .completed = end, isEmpty { output.emit(value) }
                output.finish(end)
            })
    }
}
