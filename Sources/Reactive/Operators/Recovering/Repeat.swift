extension Observable {
    /// Restarts the observable each time it completes. An observable that completes at once and never waits restarts
    /// without end.
    @inlinable
    public func `repeat`() -> Observable<Value> {
        followed(keeping: ()) { _, end in
            guard case .completed = end else { return nil }
            return self
        }
    }
}
