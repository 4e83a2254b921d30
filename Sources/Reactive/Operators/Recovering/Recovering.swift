// Operators for ends.

extension Observable {
    /// Continues after a failure with the observable that `recover` makes from the error.
    @inlinable
    public func `catch`(_ recover: @escaping (any Error) throws -> Observable<Value>) -> Observable<Value> {
        followed(keeping: false) { hasRecovered, end in
            guard case .failed(let error) = end, !hasRecovered else { return nil }
            hasRecovered = true
            return try recover(error)
        }
    }

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

    /// Restarts the observable each time it fails, without end: after `first`, then after twice as long each time, up to
    /// `greatest`. A value makes the next delay `first` again.
    ///
    ///     feed.retry(from: .seconds(1), upTo: .seconds(60), on: scheduler)
    public func retry(
        from first: Duration, upTo greatest: Duration, on scheduler: any Scheduler
    ) -> Observable<Value> {
        .deferred {
            let delay = Box(first)
            let source = self.map { value in
                delay.value = first
                return value
            }
            return source.followed(keeping: (), madeBy: "retry") { _, end in
                guard case .failed = end else { return nil }
                let wait = delay.value
                delay.value = Swift.min(wait * 2, greatest)
                return Observable<Int>.timer(wait, on: scheduler).flatMap { _ in source }
            }
        }
    }

    /// Restarts the observable each time it completes. An observable that completes at once and never waits restarts
    /// without end.
    @inlinable
    public func `repeat`() -> Observable<Value> {
        followed(keeping: ()) { _, end in
            guard case .completed = end else { return nil }
            return self
        }
    }

    /// Emits `value` if the source completes without emitting.
    public func replaceEmpty(with value: Value) -> Observable<Value> {
        run(ValueStep.replaceEmpty(with: value))
    }

    /// Emits `value` and completes if the source fails.
    public func replaceError(with value: Value) -> Observable<Value> {
        run(ValueStep.replaceError(with: value))
    }

    /// Replaces each nil with `replacement`.
    @inlinable
    public func replaceNil<Wrapped>(with replacement: Wrapped) -> Observable<Wrapped> where Value == Wrapped? {
        map { $0 ?? replacement }
    }
}
