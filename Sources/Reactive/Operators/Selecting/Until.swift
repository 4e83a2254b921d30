extension Observable {
    /// The values before another delivers, with which it completes: a value of the same turn is not among them.
    @inlinable
    public func prefix<Other>(until other: Observable<Other>) -> Observable<Value> {
        lift(
            with: other, first: .side, keeping: (),
            receive: { _, value, output in output.emit(value) },
            receiveSide: { _, _, output in output.finish(.completed) },
            endSide: { _, _, _ in })
    }

    /// The values from when another delivers on, which is then left: a value of the same turn is among them.
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
