extension Observable {
    /// Delivers the last value on completion.
    @inlinable
    public func last() -> Observable<Value> {
        lift(
            keeping: Value?.none,
            receive: { last, value, _ in last = value },
            end: { last, end, output in
                if case .completed = end, let last { output.emit(last) }
                output.finish(end)
            })
    }

    /// Delivers the last value that satisfies a condition, on completion.
    @inlinable
    public func last(where isIt: @escaping (Value) throws -> Bool) -> Observable<Value> {
        filter(isIt).last()
    }
}
