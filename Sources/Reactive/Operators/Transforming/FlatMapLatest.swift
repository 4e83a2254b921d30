extension Observable {
    /// Transforms each value to an observable and follows only the latest of them. It completes when the source and the
    /// latest one have completed.
    @inlinable
    public func flatMapLatest<Output>(_ transform: @escaping (Value) throws -> Observable<Output>) -> Observable<Output>
    {
        Observable<Output> { output in
            let inputs = MergeInputs(to: output)
            let waiting = Box(Fifo<Value>())
            let current = Box<MergeInputs<Output>.MergeInput?>(nil)
            inputs.open = 1
            inputs.joint.run = {
                // Only the last value of a turn counts. Results of the previous inner observable are out of date.
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

    /// Follows the latest of the observables that this observable delivers.
    @inlinable
    public func switchToLatest<Output>() -> Observable<Output> where Value == Observable<Output> {
        flatMapLatest { $0 }
    }
}
