extension Observable {
    /// Transforms each value and drops the nil results.
    @inlinable
    public func compactMap<Output>(_ transform: @escaping (Value) throws -> Output?) -> Observable<Output> {
        lift { value, output in
            if let transformed = try transform(value) { output.emit(transformed) }
        }
    }
}
