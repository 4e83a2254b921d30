extension Observable {
    /// Delivers no value and does not end.
    @inlinable
    public static func never() -> Observable<Value> {
        Observable { _ in }
    }
}
