extension Observable {
    /// Delivers the latest value each time another observable delivers, if it is new since the last time. It completes
    /// when either completes.
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
