extension Rows {
    /// What each row becomes, from when it comes until it goes: an observable, made of its key and of the row as it changes, all of whose values are
    /// delivered as they come. Completes when this and all of those have.
    @inlinable
    public func flatMapEach<Output>(_ transform: @escaping (Key, Observable<Row>) throws -> Observable<Output>) -> Observable<Output> {
        Observable<Output> { output in
            let inputs = MergeInputs(to: output)
            let waiting = Box(Fifo<Changes<Key, Row>>())
            let current = Box<[Key: MergeInputs<Output>.Input]>([:])
            inputs.open = 1
            inputs.joint.run = {
                while output.isActive, let changes = waiting.value.popFirst() {
                    for entry in changes.entries where output.isActive {
                        if entry.new == nil {
                            guard let input = current.value.removeValue(forKey: entry.key) else { continue }
                            if input.end == nil { inputs.open -= 1 }
                            input.close()
                        } else if current.value[entry.key] == nil {
                            output.attempt {
                                current.value[entry.key] = inputs.open(try transform(entry.key, self.row(entry.key).compactMap { $0 }))
                            }
                        }
                    }
                }
                inputs.deliver()
                inputs.finishIfOver()
            }
            inputs.listen(to: self, waiting)
        }
    }
}
