extension Observable {
    /// No value, and a failure.
    @inlinable
    public static func failed(_ error: any Error) -> Observable<Value> {
        Observable { $0.finish(.failed(error)) }
    }
}
