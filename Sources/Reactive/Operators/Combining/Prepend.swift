extension Observable {
    /// Some values, then this.
    @inlinable
    public func prepend(_ values: Value...) -> Observable<Value> {
        prepend(.from(values))
    }

    /// Another, and when it has completed, this.
    @inlinable
    public func prepend(_ other: Observable<Value>) -> Observable<Value> {
        Reactive.append([other, self])
    }
}
