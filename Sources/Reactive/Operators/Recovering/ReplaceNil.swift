extension Observable {
    /// Replaces each nil with `replacement`.
    @inlinable
    public func replaceNil<Wrapped>(with replacement: Wrapped) -> Observable<Wrapped> where Value == Wrapped? {
        map { $0 ?? replacement }
    }
}
