extension Observable {
    /// The latest value, whenever another delivers, unless there was none since the last time. Completes when either does.
    @inlinable
    public func sample<Other>(_ other: Observable<Other>) -> Observable<Value> {
        lift(
            with: other, first: .source, keeping: Value?.none,
            receive: { latest, value, _ in latest = value },
            receiveSide: { latest, _, output in
                guard let value = latest else { return }
                latest = nil
                output.emit(value)
            },
            endSide: { _, end, output in output.finish(end) })
    }
}
