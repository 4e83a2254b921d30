extension Observable {
    /// Drops the first `count` values.
    @inlinable
    public func dropFirst(_ count: Int = 1) -> Observable<Value> {
        lift(keeping: count) { left, value, output in
            if left > 0 { left -= 1 } else { output.emit(value) }
        }
    }

    /// Drops the values before the first that does not satisfy the condition.
    @inlinable
    public func drop(while isDropped: @escaping (Value) throws -> Bool) -> Observable<Value> {
        lift(keeping: true) { isDropping, value, output in
            if isDropping { isDropping = try isDropped(value) }
            if !isDropping { output.emit(value) }
        }
    }
}
