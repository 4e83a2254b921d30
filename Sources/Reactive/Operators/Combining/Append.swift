extension Observable {
    /// Continues with other observables, one after the other, after this one completes.
    @inlinable
    public func append(_ others: Observable<Value>...) -> Observable<Value> {
        Reactive.append([self] + others)
    }

    /// Delivers more values after this observable completes.
    @inlinable
    public func append(_ values: Value...) -> Observable<Value> {
        append(.from(values))
    }
}

/// Concatenates observables: each starts when the previous one has completed. Without sources it completes at once.
@inlinable
public func append<Value>(_ sources: [Observable<Value>]) -> Observable<Value> {
    guard let first = sources.first else { return .empty() }
    return first.followed(keeping: 1) { next, end in
        guard case .completed = end, next < sources.count else { return nil }
        next += 1
        return sources[next - 1]
    }
}
