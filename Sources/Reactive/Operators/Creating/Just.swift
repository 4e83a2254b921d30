extension Observable {
    /// One value, and the end.
    @inlinable
    public static func just(_ value: Value) -> Observable<Value> {
        Observable { output in
            output.emit(value)
            output.finish(.completed)
        }
    }
}
