extension Observable {
    /// Delivers the smallest value on completion; among equal values, the first.
    @inlinable
    public func min(by isBefore: @escaping (Value, Value) throws -> Bool) -> Observable<Value> {
        reduce(Value?.none) { least, value in
            guard let least else { return value }
            return try isBefore(value, least) ? value : least
        }.compactMap { $0 }
    }

    /// Delivers the largest value on completion; among equal values, the first.
    @inlinable
    public func max(by isBefore: @escaping (Value, Value) throws -> Bool) -> Observable<Value> {
        reduce(Value?.none) { greatest, value in
            guard let greatest else { return value }
            return try isBefore(greatest, value) ? value : greatest
        }.compactMap { $0 }
    }
}

extension Observable where Value: Comparable {
    /// Delivers the smallest value on completion.
    @inlinable
    public func min() -> Observable<Value> {
        min(by: <)
    }

    /// Delivers the largest value on completion.
    @inlinable
    public func max() -> Observable<Value> {
        max(by: <)
    }
}
