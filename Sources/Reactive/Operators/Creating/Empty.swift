extension Observable {
    /// Completes without a value.
    @inlinable
    public static func empty() -> Observable<Value> {
        Observable { $0.finish(.completed) }
    }
}
