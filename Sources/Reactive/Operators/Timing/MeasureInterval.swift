extension Observable {
    /// Delivers the time since the previous value with each value; with the first, the time since the start.
    @inlinable
    public func measureInterval(by scheduler: any Scheduler) -> Observable<Duration> {
        lift(keeping: scheduler.now) { previous, _, output in
            let now = scheduler.now
            output.emit(now - previous)
            previous = now
        }
    }
}
