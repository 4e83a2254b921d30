extension Observable {
    /// This, begun anew whenever it has completed. One that completes at once, and never waits for anything, is begun without end.
    @inlinable
    public func `repeat`() -> Observable<Value> {
        followed(keeping: ()) { _, end in
            guard case .completed = end else { return nil }
            return self
        }
    }
}
