extension Observable {
    /// What a value becomes, for every value: an observable each, all of whose values are delivered as they come. Completes when this and all
    /// of those have.
    @inlinable
    public func flatMap<Output>(_ transform: @escaping (Value) throws -> Observable<Output>) -> Observable<Output> {
        Observable<Output> { output in
            let lanes = Lanes(to: output)
            let waiting = Cell(Fifo<Value>())
            lanes.open = 1
            lanes.joint.run = {
                lanes.deliver()
                while output.isActive, let value = waiting.value.popFirst() {
                    output.attempt { lanes.open(try transform(value)) }
                }
                lanes.finishIfOver()
            }
            lanes.listen(to: self, waiting)
        }
    }
}

extension Lanes {
    /// Listens to the observable whose values become lanes; its end is one of those that `open` counts.
    @inlinable
    func listen<Outer>(to outer: Observable<Outer>, _ waiting: Cell<Fifo<Outer>>) {
        output.listen(
            to: outer,
            receive: { value in
                waiting.value.append(value)
                self.graph.schedule(self.joint)
            },
            end: { end in
                self.open -= 1
                if case .failed = end { self.failure = end }
                self.graph.schedule(self.joint)
            })
    }
}
