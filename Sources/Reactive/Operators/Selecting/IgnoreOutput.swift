extension Observable {
    /// Forwards only the end.
    @inlinable
    public func ignoreOutput() -> Observable<Value> {
        lift { _, _ in }
    }
}
