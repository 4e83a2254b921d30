extension Rows {
    /// Transforms each row to an observable for as long as the row exists, and merges their values as they arrive.
    /// `transform` receives the key and an observable of the row. It completes when the source and all of them have
    /// completed.
    @inlinable
    public func flatMapEach<Output>(
        _ transform: @escaping (Key, Observable<Row>) throws -> Observable<Output>
    ) -> Observable<Output> {
        Observable<Output> { output in
            let inputs = MergeInputs(to: output)
            let waiting = Box(Fifo<Changes<Key, Row>>())
            let current = Box<[Key: MergeInputs<Output>.MergeInput]>([:])
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
                                current.value[entry.key] = inputs.open(
                                    try transform(entry.key, self.routedRow(entry.key).compactMap { $0 }))
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
