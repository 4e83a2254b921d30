extension Observable {
    /// True if all values satisfy a condition. It delivers false at the first value that does not, or true on
    /// completion.
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
