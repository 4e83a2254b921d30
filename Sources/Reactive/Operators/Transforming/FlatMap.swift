extension Observable {
    /// What a value becomes, for every value: an observable each, all of whose values are delivered as they come. Completes when this and all
    /// of those have.
    @inlinable
    public func flatMap<Output>(_ transform: @escaping (Value) throws -> Observable<Output>) -> Observable<Output> {
        Observable<Output> { output in
            let inputs = MergeInputs(to: output)
            let waiting = Box(Fifo<Value>())
            inputs.open = 1
            inputs.joint.run = {
                inputs.deliver()
                while output.isActive, let value = waiting.value.popFirst() {
                    output.attempt { inputs.open(try transform(value)) }
                }
                inputs.finishIfOver()
            }
            inputs.listen(to: self, waiting)
        }
    }
}
