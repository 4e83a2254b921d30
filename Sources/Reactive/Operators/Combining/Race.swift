/// The one of several that is first to deliver, be it a value or the end; the others are left. In one turn, the one that comes first among
/// the arguments.
@inlinable
public func race<Value>(_ sources: [Observable<Value>]) -> Observable<Value> {
    guard !sources.isEmpty else { return .empty() }
    return Observable { output in
        let lanes = Lanes(to: output)
        let all = Cell<[Lanes<Value>.Lane]>([])
        let winner = Cell<Int?>(nil)
        lanes.admits = { lane in
            if winner.value == nil {
                winner.value = lane.number
                for other in all.value where other !== lane { other.close() }
                all.value = []
            }
            return winner.value == lane.number
        }
        lanes.joint.run = {
            lanes.deliver { _ in output.finish(.completed) }
        }
        for source in sources where winner.value == nil { all.value.append(lanes.open(source)) }
    }
}

/// The one of several that is first to deliver.
@inlinable
public func race<Value>(_ sources: Observable<Value>...) -> Observable<Value> {
    race(sources)
}

extension Observable {
    /// This or another, whichever is first to deliver.
    @inlinable
    public func race(with other: Observable<Value>) -> Observable<Value> {
        Reactive.race([self, other])
    }
}
