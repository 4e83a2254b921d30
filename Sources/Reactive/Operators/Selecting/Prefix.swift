extension Observable {
    /// Forwards the first `count` values and completes with the last of them.
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

    /// Forwards the values before the first that does not satisfy the condition, then completes.
    @inlinable
    public func prefix(while isIncluded: @escaping (Value) throws -> Bool) -> Observable<Value> {
        lift { value, output in
            if try isIncluded(value) { output.emit(value) } else { output.finish(.completed) }
        }
    }
}
