extension Observable {
    /// Accumulates the values, starting with `initial`, and delivers each intermediate result. `initial` itself is not
    /// delivered.
    public func scan<Accumulated>(
        _ initial: Accumulated, _ accumulate: @escaping (Accumulated, Value) throws -> Accumulated
    ) -> Observable<Accumulated> {
        run(ValueStep.scan(initial, accumulate))
    }
}
