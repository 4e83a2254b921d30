extension Observable {
    /// Whether all values satisfy a condition: false with the first that does not, true once this has completed.
    @inlinable
    public func allSatisfy(_ isSatisfied: @escaping (Value) throws -> Bool) -> Observable<Bool> {
        lift(
            receive: { value, output in
                guard try !isSatisfied(value) else { return }
                output.emit(false)
                output.finish(.completed)
            },
            end: { end, output in
                if case .completed = end { output.emit(true) }
                output.finish(end)
            })
    }
}
