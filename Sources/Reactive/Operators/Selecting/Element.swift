extension Observable {
    /// The value at a place, counted from 0; completes with it. Where there are fewer values it completes without one, as in Combine.
    @inlinable
    public func element(at index: Int) -> Observable<Value> {
        index < 0 ? .empty() : dropFirst(index).prefix(1)
    }
}
