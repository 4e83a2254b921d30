extension Observable {
    /// Forwards the values that satisfy a condition.
    @inlinable
    public func filter(_ isIncluded: @escaping (Value) throws -> Bool) -> Observable<Value> {
        lift { value, output in
            if try isIncluded(value) { output.emit(value) }
        }
    }
}
