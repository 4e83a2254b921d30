extension Observable {
    /// Continues after a failure with the observable that `recover` makes from the error.
    @inlinable
    public func `catch`(_ recover: @escaping (any Error) throws -> Observable<Value>) -> Observable<Value> {
        followed(keeping: false) { hasRecovered, end in
            guard case .failed(let error) = end, !hasRecovered else { return nil }
            hasRecovered = true
            return try recover(error)
        }
    }
}
