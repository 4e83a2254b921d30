extension Observable {
    /// Transforms each value to an observable and concatenates them: each starts when the previous one has completed.
    /// It completes when the source and all of them have completed.
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
