/// The values of all as they come; of those that come in one turn, in the order of the arguments. Completes when all have.
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

/// The values of all as they come.
@inlinable
public func merge<Value>(_ sources: Observable<Value>...) -> Observable<Value> {
    merge(sources)
}

extension Observable {
    /// The values of this and of another as they come.
    @inlinable
    public func merge(with other: Observable<Value>) -> Observable<Value> {
        Reactive.merge([self, other])
    }
}
