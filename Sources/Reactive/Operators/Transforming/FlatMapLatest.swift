extension Observable {
    /// What the latest value becomes: an observable, whose values are delivered until the next value comes. Completes when this and the last of
    /// those have.
    @inlinable
    public func flatMapLatest<Output>(_ transform: @escaping (Value) throws -> Observable<Output>) -> Observable<Output> {
        Observable<Output> { output in
            let inputs = MergeInputs(to: output)
            let waiting = Box(Fifo<Value>())
            let current = Box<MergeInputs<Output>.Input?>(nil)
            inputs.open = 1
            inputs.joint.run = {
                // Of the values of one turn only the last counts, and what came of the one before is out of date.
                var latest = waiting.value.popFirst()
                while let later = waiting.value.popFirst() { latest = later }
                guard let latest else {
                    inputs.deliver()
                    return inputs.finishIfOver()
                }
                let previous = current.value
                if let previous, previous.end == nil { inputs.open -= 1 }
                previous?.close()
                output.attempt { current.value = inputs.open(try transform(latest)) }
                inputs.finishIfOver()
            }
            inputs.listen(to: self, waiting)
        }
    }

    /// The values of the latest observable among the values.
    @inlinable
    public func switchToLatest<Output>() -> Observable<Output> where Value == Observable<Output> {
        flatMapLatest { $0 }
    }
}
