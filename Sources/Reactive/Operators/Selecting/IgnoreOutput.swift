extension Observable {
    /// The end alone.
    @inlinable
    public func ignoreOutput() -> Observable<Value> {
        lift { _, _ in }
    }
}
