extension Observable {
    /// Restarts the observable when it fails, up to `count` times.
    @inlinable
    public func retry(_ count: Int) -> Observable<Value> {
        followed(keeping: count) { left, end in
            guard case .failed = end, left > 0 else { return nil }
            left -= 1
            return self
        }
    }

    /// Restarts the observable when it fails, after the next of `delays`, until no delay is left.
    @inlinable
    public func retry(after delays: [Duration], on scheduler: any Scheduler) -> Observable<Value> {
        followed(keeping: 0) { next, end in
            guard case .failed = end, next < delays.count else { return nil }
            next += 1
            return Observable<Int>.timer(delays[next - 1], on: scheduler).flatMap { _ in self }
        }
    }
}
