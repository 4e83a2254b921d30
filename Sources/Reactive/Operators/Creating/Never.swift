extension Observable {
    /// No value, and no end.
    @inlinable
    public static func never() -> Observable<Value> {
        Observable { _ in }
    }
}
