extension Observable {
    /// The values of a sequence, all within one turn, and the end.
    @inlinable
    public static func from<Values: Sequence>(_ values: Values) -> Observable<Value> where Values.Element == Value {
        Observable { output in
            for value in values {
                guard output.isActive else { return }
                output.emit(value)
            }
            output.finish(.completed)
        }
    }
}
