extension Observable {
    /// What a value becomes, for every value: an observable each, begun when the one before has completed. Completes when this and all of those
    /// have.
    @inlinable
    public func concatMap<Output>(_ transform: @escaping (Value) throws -> Observable<Output>) -> Observable<Output> {
        Observable<Output> { output in
            let lanes = Lanes(to: output)
            let waiting = Cell(Fifo<Value>())
            lanes.open = 1
            let isTaken = Cell(false)
            lanes.joint.run = {
                lanes.deliver { _ in isTaken.value = false }
                if output.isActive, !isTaken.value, let value = waiting.value.popFirst() {
                    isTaken.value = true
                    output.attempt { lanes.open(try transform(value)) }
                }
                lanes.finishIfOver()
            }
            lanes.listen(to: self, waiting)
        }
    }
}
