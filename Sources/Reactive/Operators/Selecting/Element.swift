extension Observable {
    /// Delivers the value at `index`, counted from 0, and completes. With fewer values it completes without one, as in
    /// Combine.
    @inlinable
    public func element(at index: Int) -> Observable<Value> {
        index < 0 ? .empty() : dropFirst(index).prefix(1)
    }
}
