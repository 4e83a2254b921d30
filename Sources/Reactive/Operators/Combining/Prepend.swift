extension Observable {
    /// Delivers some values before those of this observable.
    @inlinable
    public func prepend(_ values: Value...) -> Observable<Value> {
        prepend(.from(values))
    }

    /// Starts this observable after another has completed.
    @inlinable
    public func prepend(_ other: Observable<Value>) -> Observable<Value> {
        Reactive.append([other, self])
    }
}
