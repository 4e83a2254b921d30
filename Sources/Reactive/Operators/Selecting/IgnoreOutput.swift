extension Observable {
    /// The end alone.
    @inlinable
    public func ignoreOutput() -> Observable<Value> {
        derive { _, _ in }
    }
}
