extension Observable {
    /// The first `count` values; completes with the last of them.
    @inlinable
    public func prefix(_ count: Int) -> Observable<Value> {
        guard count > 0 else { return .empty() }
        return lift(keeping: count) { left, value, output in
            left -= 1
            let isLast = left == 0
            output.emit(value)
            if isLast { output.finish(.completed) }
        }
    }

    /// The values before the first that does not satisfy a condition, with which it completes.
    @inlinable
    public func prefix(while isIncluded: @escaping (Value) throws -> Bool) -> Observable<Value> {
        lift { value, output in
            if try isIncluded(value) { output.emit(value) } else { output.finish(.completed) }
        }
    }
}
