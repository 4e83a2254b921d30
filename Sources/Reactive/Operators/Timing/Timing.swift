// Operators by time.

extension Observable {
    /// Delivers a value once no other has followed it for `duration`. On completion it delivers the waiting value at
    /// once.
    public func debounce(_ duration: Duration, on scheduler: any Scheduler) -> Observable<Value> {
        run(Debounce(duration), on: scheduler)
    }

    /// Delivers at most one value per `duration`. The first value is delivered at once. With `latest`, the last value
    /// within the duration is delivered at its end; otherwise it is dropped. Completion follows the waiting value.
    public func throttle(_ duration: Duration, on scheduler: any Scheduler, latest: Bool) -> Observable<Value> {
        run(Throttle(duration, latest: latest), on: scheduler)
    }

    /// Delays each value and the completion by `duration`. A failure is delivered at once and drops the waiting values.
    public func delay(_ duration: Duration, on scheduler: any Scheduler) -> Observable<Value> {
        run(Delay(duration), on: scheduler)
    }

    /// Fails if neither a value nor the end arrives within `duration`.
    public func timeout(_ duration: Duration, on scheduler: any Scheduler) -> Observable<Value> {
        run(Timeout(duration), on: scheduler)
    }

    /// Delivers the time since the previous value with each value; with the first, the time since the start.
    public func measureInterval(by scheduler: any Scheduler) -> Observable<Duration> {
        run(MeasureInterval(), on: scheduler)
    }
}
