extension Observable {
    /// Forwards values until another observable delivers, then completes. It drops a value of the same turn.
    @inlinable
    public func prefix<Other>(until other: Observable<Other>) -> Observable<Value> {
        lift(
            with: other, first: .side, keeping: (),
            receive: { _, value, output in output.emit(value) },
            receiveSide: { _, _, output in output.finish(.completed) },
            endSide: { _, _, _ in })
    }

    /// Drops values until another observable delivers, then cancels the other. It forwards a value of the same turn.
    @inlinable
    public func skip<Other>(until other: Observable<Other>) -> Observable<Value> {
        lift(
            with: other.prefix(1), first: .side, keeping: false,
            receive: { isOpen, value, output in
                if isOpen { output.emit(value) }
            },
            receiveSide: { isOpen, _, _ in isOpen = true },
            endSide: { _, _, _ in })
    }
}
