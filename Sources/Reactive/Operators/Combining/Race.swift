/// Follows the source that is first to deliver a value or its end, and cancels the others. Within one turn, the first
/// among the arguments wins.
@inlinable
public func race<Value>(_ sources: [Observable<Value>]) -> Observable<Value> {
    guard !sources.isEmpty else { return .empty() }
    return Observable { output in
        let inputs = MergeInputs(to: output)
        let all = Box<[MergeInputs<Value>.MergeInput]>([])
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

/// Follows the source that is first to deliver.
@inlinable
public func race<Value>(_ sources: Observable<Value>...) -> Observable<Value> {
    race(sources)
}

extension Observable {
    /// Follows this observable or another, the one that is first to deliver.
    @inlinable
    public func race(with other: Observable<Value>) -> Observable<Value> {
        Reactive.race([self, other])
    }
}
