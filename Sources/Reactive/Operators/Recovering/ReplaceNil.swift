extension Observable {
    /// Each value, or another for one that is nil.
    @inlinable
    public func replaceNil<Wrapped>(with replacement: Wrapped) -> Observable<Wrapped> where Value == Wrapped? {
        map { $0 ?? replacement }
    }
}
