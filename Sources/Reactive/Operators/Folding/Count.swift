extension Observable {
    /// Delivers the number of values on completion.
    @inlinable
    public func count() -> Observable<Int> {
        reduce(0) { count, _ in count + 1 }
    }
}
