extension Observable {
    /// What has accumulated from all values, beginning from `initial`, once this has completed.
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
