extension Observable {
    /// What a value becomes, for every value: an observable each, begun when the one before has completed. Completes when this and all of those
    /// have.
    @inlinable
    public func concatMap<Output>(_ transform: @escaping (Value) throws -> Observable<Output>) -> Observable<Output> {
        Observable<Output> { output in
            let inputs = MergeInputs(to: output)
            let waiting = Box(Fifo<Value>())
            inputs.open = 1
            let isTaken = Box(false)
            inputs.joint.run = {
                inputs.deliver { _ in isTaken.value = false }
                if output.isActive, !isTaken.value, let value = waiting.value.popFirst() {
                    isTaken.value = true
                    output.attempt { inputs.open(try transform(value)) }
                }
                inputs.finishIfOver()
            }
            inputs.listen(to: self, waiting)
        }
    }
}
