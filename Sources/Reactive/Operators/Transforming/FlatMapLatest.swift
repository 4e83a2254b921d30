extension Observable {
    /// What the latest value becomes: an observable, whose values are delivered until the next value comes. Completes when this and the last of
    /// those have.
    @inlinable
    public func flatMapLatest<Output>(_ transform: @escaping (Value) throws -> Observable<Output>) -> Observable<Output> {
        Observable<Output> { output in
            let lanes = Lanes(to: output)
            let waiting = Cell(Fifo<Value>())
            let current = Cell<Lanes<Output>.Lane?>(nil)
            lanes.open = 1
            lanes.joint.run = {
                // Of the values of one turn only the last counts, and what came of the one before is out of date.
                var latest = waiting.value.popFirst()
                while let later = waiting.value.popFirst() { latest = later }
                guard let latest else {
                    lanes.deliver()
                    return lanes.finishIfOver()
                }
                let previous = current.value
                if let previous, previous.end == nil { lanes.open -= 1 }
                previous?.close()
                output.attempt { current.value = lanes.open(try transform(latest)) }
                lanes.finishIfOver()
            }
            lanes.listen(to: self, waiting)
        }
    }

    /// The values of the latest observable among the values.
    @inlinable
    public func switchToLatest<Output>() -> Observable<Output> where Value == Observable<Output> {
        flatMapLatest { $0 }
    }
}
