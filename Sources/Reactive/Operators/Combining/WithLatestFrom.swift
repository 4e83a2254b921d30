extension Observable {
    /// Each value with the latest of another; values that come before the other has delivered are dropped. In one turn, with what the other has
    /// delivered in it.
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
