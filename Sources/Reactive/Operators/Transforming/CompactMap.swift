extension Observable {
    /// Each value, transformed, but for those of which nothing came.
    @inlinable
    public func compactMap<Output>(_ transform: @escaping (Value) throws -> Output?) -> Observable<Output> {
        lift { value, output in
            if let transformed = try transform(value) { output.emit(transformed) }
        }
    }
}
