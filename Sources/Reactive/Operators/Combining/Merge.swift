/// Forwards the values of all sources as they arrive; values of one turn in the order of the arguments. It completes
/// when all sources have completed.
@inlinable
public func merge<Value>(_ sources: [Observable<Value>]) -> Observable<Value> {
    Observable { output in
        let inputs = MergeInputs(to: output)
        output.statefulness = .ifAnySource
        inputs.open = 1
        inputs.joint.run = {
            inputs.deliver()
            if inputs.open == 0 { output.finish(.completed) }
        }
        for source in sources { inputs.open(source) }
        inputs.open -= 1
        inputs.graph.schedule(inputs.joint)
    }
}

/// Forwards the values of all sources as they arrive.
@inlinable
public func merge<Value>(_ sources: Observable<Value>...) -> Observable<Value> {
    merge(sources)
}

extension Observable {
    /// Forwards the values of this observable and another as they arrive.
    @inlinable
    public func merge(with other: Observable<Value>) -> Observable<Value> {
        Reactive.merge([self, other])
    }
}
