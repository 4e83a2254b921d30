extension Observable {
    /// Delivers one value, then completes.
    @inlinable
    public static func just(_ value: Value) -> Observable<Value> {
        Observable { output in
            output.emit(value)
            output.finish(.completed)
        }
    }
}
