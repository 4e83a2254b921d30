/// The one of several that is first to deliver, be it a value or the end; the others are left. In one turn, the one that comes first among
/// the arguments.
@inlinable
public func race<Value>(_ sources: [Observable<Value>]) -> Observable<Value> {
    guard !sources.isEmpty else { return .empty() }
    return Observable { output in
        let inputs = MergeInputs(to: output)
        let all = Box<[MergeInputs<Value>.Input]>([])
        let winner = Box<Int?>(nil)
        inputs.admits = { input in
            if winner.value == nil {
                winner.value = input.number
                for other in all.value where other !== input { other.close() }
                all.value = []
            }
            return winner.value == input.number
        }
        inputs.joint.run = {
            inputs.deliver { _ in output.finish(.completed) }
        }
        for source in sources where winner.value == nil { all.value.append(inputs.open(source)) }
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
