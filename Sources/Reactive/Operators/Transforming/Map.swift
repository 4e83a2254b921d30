extension Observable {
    /// Transforms each value.
    @inlinable
    public func map<Output>(_ transform: @escaping (Value) throws -> Output) -> Observable<Output> {
        lift { value, output in output.emit(try transform(value)) }
    }
}
