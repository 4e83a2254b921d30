extension Observable {
    /// The values that satisfy a condition.
    @inlinable
    public func filter(_ isIncluded: @escaping (Value) throws -> Bool) -> Observable<Value> {
        derive { value, output in
            if try isIncluded(value) { output.emit(value) }
        }
    }
}
