extension Observable {
    /// Accumulates all values, starting with `initial`, and delivers the result on completion.
    @inlinable
    public func reduce<Accumulated>(
        _ initial: Accumulated, _ accumulate: @escaping (Accumulated, Value) throws -> Accumulated
    ) -> Observable<Accumulated> {
        lift(
            keeping: initial,
            receive: { accumulated, value, _ in accumulated = try accumulate(accumulated, value) },
            end: { accumulated, end, output in
                if case .completed = end { output.emit(accumulated) }
                output.finish(end)
            })
    }
}
