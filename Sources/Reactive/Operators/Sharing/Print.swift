extension Observable {
    /// Writes a line for each event of the observable's lifecycle.
    @inlinable
    public func print(_ name: String, to write: @escaping (String) -> Void = { Swift.print($0) }) -> Observable<Value> {
        handleEvents(
            start: { write("\(name): started") },
            value: { write("\(name): \($0)") },
            end: { write("\(name): \($0)") },
            stop: { write("\(name): stopped") })
    }
}
