extension Rows {
    /// What each row becomes, from when it comes until it goes: an observable, made of its key and of the row as it changes, all of whose values are
    /// delivered as they come. Completes when this and all of those have.
    @inlinable
    public func flatMapEach<Output>(_ transform: @escaping (Key, Observable<Row>) throws -> Observable<Output>) -> Observable<Output> {
        Observable<Output> { output in
            let lanes = Lanes(to: output)
            let waiting = Cell(Fifo<Changes<Key, Row>>())
            let current = Cell<[Key: Lanes<Output>.Lane]>([:])
            lanes.open = 1
            lanes.joint.run = {
                while output.isActive, let changes = waiting.value.popFirst() {
                    for entry in changes.entries where output.isActive {
                        if entry.new == nil {
                            guard let lane = current.value.removeValue(forKey: entry.key) else { continue }
                            if lane.end == nil { lanes.open -= 1 }
                            lane.close()
                        } else if current.value[entry.key] == nil {
                            output.attempt {
                                current.value[entry.key] = lanes.open(try transform(entry.key, self.row(entry.key).compactMap { $0 }))
                            }
                        }
                    }
                }
                lanes.deliver()
                lanes.finishIfOver()
            }
            lanes.listen(to: self, waiting)
        }
    }
}
