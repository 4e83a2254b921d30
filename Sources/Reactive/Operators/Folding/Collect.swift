extension Observable {
    /// Delivers all values as one array on completion.
    @inlinable
    public func collect() -> Observable<[Value]> {
        lift(
            keeping: [Value](),
            receive: { collected, value, _ in collected.append(value) },
            end: { collected, end, output in
                if case .completed = end { output.emit(collected) }
                output.finish(end)
            })
    }

    /// Delivers arrays of `count` values, and the remaining values on completion.
    @inlinable
    public func collect(_ count: Int) -> Observable<[Value]> {
        lift(
            keeping: [Value](),
            receive: { collected, value, output in
                collected.append(value)
                guard collected.count >= count else { return }
                let all = collected
                collected = []
                output.emit(all)
            },
            end: { collected, end, output in
                if case .completed = end, !collected.isEmpty { output.emit(collected) }
                output.finish(end)
            })
    }
}
