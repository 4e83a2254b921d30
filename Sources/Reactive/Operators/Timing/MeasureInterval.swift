extension Observable {
    /// With each value, how long ago the one before came; with the first, how long ago this was started.
    @inlinable
    public func measureInterval(by scheduler: any Scheduler) -> Observable<Duration> {
        lift(keeping: scheduler.now) { previous, _, output in
            let now = scheduler.now
            output.emit(now - previous)
            previous = now
        }
    }
}
