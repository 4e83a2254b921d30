extension Observable {
    /// Transforms each value to an observable and merges their values as they arrive. It completes when the source and
    /// all of them have completed.
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
