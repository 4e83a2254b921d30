extension Observable {
    /// Combines each value with the latest value of another observable. It drops values that arrive before the other
    /// has delivered. Within one turn it uses the value that the other delivers in that turn.
    @inlinable
    public func withLatestFrom<Other>(_ other: Observable<Other>) -> Observable<(Value, Other)> {
        lift(
            with: other, first: .side, keeping: Other?.none,
            receive: { latest, value, output in
                if let latest { output.emit((value, latest)) }
            },
            receiveSide: { latest, value, _ in latest = value },
            endSide: { _, _, _ in })
    }
}
