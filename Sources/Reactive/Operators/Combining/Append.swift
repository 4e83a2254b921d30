extension Observable {
    /// This, and when it has completed, others, one after the other.
    @inlinable
    public func append(_ others: Observable<Value>...) -> Observable<Value> {
        Reactive.append([self] + others)
    }

    /// This, and when it has completed, some values more.
    @inlinable
    public func append(_ values: Value...) -> Observable<Value> {
        append(.from(values))
    }
}

/// Each of several when the one before has completed; of none, an observable that completes.
@inlinable
public func append<Value>(_ sources: [Observable<Value>]) -> Observable<Value> {
    guard let first = sources.first else { return .empty() }
    return first.followed(keeping: 1) { next, end in
        guard case .completed = end, next < sources.count else { return nil }
        next += 1
        return sources[next - 1]
    }
}
