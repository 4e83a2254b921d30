extension Observable {
    /// No value, and the end.
    @inlinable
    public static func empty() -> Observable<Value> {
        Observable { $0.finish(.completed) }
    }
}
