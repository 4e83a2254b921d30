extension Observable {
    /// Delivers the first value and completes.
    @inlinable
    public func first() -> Observable<Value> {
        prefix(1)
    }

    /// Delivers the first value that satisfies a condition and completes.
    @inlinable
    public func first(where isIt: @escaping (Value) throws -> Bool) -> Observable<Value> {
        filter(isIt).prefix(1)
    }
}
