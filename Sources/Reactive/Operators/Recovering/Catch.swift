extension Observable {
    /// This, and when it fails, what `recover` makes of the error.
    @inlinable
    public func `catch`(_ recover: @escaping (any Error) throws -> Observable<Value>) -> Observable<Value> {
        followed(keeping: false) { hasRecovered, end in
            guard case .failed(let error) = end, !hasRecovered else { return nil }
            hasRecovered = true
            return try recover(error)
        }
    }
}
