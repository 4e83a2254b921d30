extension Observable {
    /// Delivers the elements of a sequence within one turn, then completes.
    @inlinable
    public static func from<Values: Sequence>(_ values: Values) -> Observable<Value> where Values.Element == Value {
        Observable { output in
            var rest = values.makeIterator()
            while output.isActive, let value = rest.next() { output.emit(value) }
            output.finish(.completed)
        }
    }
}
