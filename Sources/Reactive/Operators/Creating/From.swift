extension Observable {
    /// The values of a sequence, all within one turn, and the end.
    @inlinable
    public static func from<Values: Sequence>(_ values: Values) -> Observable<Value> where Values.Element == Value {
        Observable { output in
            var rest = values.makeIterator()
            while output.isActive, let value = rest.next() { output.emit(value) }
            output.finish(.completed)
        }
    }
}
