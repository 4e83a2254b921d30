extension Observable {
    /// Drops each value that is the same as the value delivered before it.
    @inlinable
    public func removeDuplicates(
        by areSame: @escaping (_ previous: Value, _ value: Value) throws -> Bool
    ) -> Observable<Value> {
        lift(keeping: Value?.none) { previous, value, output in
            if let previous, try areSame(previous, value) { return }
            previous = value
            output.emit(value)
        }
    }

    /// Drops each value with the same key as the value delivered before it.
    @inlinable
    public func removeDuplicates<Key: Equatable>(key: @escaping (Value) throws -> Key) -> Observable<Value> {
        lift(keeping: Key?.none) { previous, value, output in
            let key = try key(value)
            guard previous != key else { return }
            previous = key
            output.emit(value)
        }
    }
}

extension Observable where Value: Equatable {
    /// Drops each value that equals the value delivered before it.
    @inlinable
    public func removeDuplicates() -> Observable<Value> {
        lift(keeping: Value?.none) { previous, value, output in
            guard previous != value else { return }
            previous = value
            output.emit(value)
        }
    }
}
