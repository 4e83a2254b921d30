extension Observable {
    /// Accumulates the values, starting with `initial`, and delivers each intermediate result. `initial` itself is not
    /// delivered.
    @inlinable
    public func scan<Accumulated>(
        _ initial: Accumulated, _ accumulate: @escaping (Accumulated, Value) throws -> Accumulated
    ) -> Observable<Accumulated> {
        lift(keeping: initial) { accumulated, value, output in
            accumulated = try accumulate(accumulated, value)
            output.emit(accumulated)
        }
    }
}
