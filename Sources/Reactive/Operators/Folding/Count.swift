extension Observable {
    /// How many values there were, once this has completed.
    @inlinable
    public func count() -> Observable<Int> {
        reduce(0) { count, _ in count + 1 }
    }
}
