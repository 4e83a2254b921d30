extension Observable {
    /// Fails without a value.
    @inlinable
    public static func failed(_ error: any Error) -> Observable<Value> {
        Observable { $0.finish(.failed(error)) }
    }
}
