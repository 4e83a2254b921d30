extension Observable {
    /// The first value; completes with it.
    @inlinable
    public func first() -> Observable<Value> {
        prefix(1)
    }

    /// The first value that satisfies a condition; completes with it.
    @inlinable
    public func first(where isIt: @escaping (Value) throws -> Bool) -> Observable<Value> {
        filter(isIt).prefix(1)
    }
}
