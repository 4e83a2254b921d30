/// The values of all as they come; of those that come in one turn, in the order of the arguments. Completes when all have.
@inlinable
public func merge<Value>(_ sources: [Observable<Value>]) -> Observable<Value> {
    Observable { output in
        let lanes = Lanes(to: output)
        output.nature = .asAnySource
        lanes.open = 1
        lanes.joint.run = {
            lanes.deliver()
            if lanes.open == 0 { output.finish(.completed) }
        }
        for source in sources { lanes.open(source) }
        lanes.open -= 1
        lanes.graph.schedule(lanes.joint)
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
