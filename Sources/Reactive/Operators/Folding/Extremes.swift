extension Observable {
    /// The smallest value, of equal ones the first, once this has completed.
    @inlinable
    public func min(by isBefore: @escaping (Value, Value) throws -> Bool) -> Observable<Value> {
        reduce(Value?.none) { least, value in
            guard let least else { return value }
            return try isBefore(value, least) ? value : least
        }.compactMap { $0 }
    }

    /// The largest value, of equal ones the first, once this has completed.
    @inlinable
    public func max(by isBefore: @escaping (Value, Value) throws -> Bool) -> Observable<Value> {
        reduce(Value?.none) { greatest, value in
            guard let greatest else { return value }
            return try isBefore(greatest, value) ? value : greatest
        }.compactMap { $0 }
    }
}

extension Observable where Value: Comparable {
    /// The smallest value, once this has completed.
    @inlinable
    public func min() -> Observable<Value> {
        min(by: <)
    }

    /// The largest value, once this has completed.
    @inlinable
    public func max() -> Observable<Value> {
        max(by: <)
    }
}
