/// Nothing came in time.
public struct TimeoutError: Error, Equatable {
    /// How long it was waited for.
    public let duration: Duration

    /// Nothing came for `duration`.
    @inlinable
    public init(duration: Duration) {
        self.duration = duration
    }
}

extension Observable {
    /// This, which fails when neither a value nor the end comes for a duration.
    @inlinable
    public func timeout(_ duration: Duration, on scheduler: any Scheduler) -> Observable<Value> {
        Observable { output in
            let alarm = Box<Alarm?>(nil)
            let wait = {
                alarm.value = output.after(duration, on: scheduler) { output.finish(.failed(TimeoutError(duration: duration))) }
            }
            wait()
            output.listen(
                to: self,
                receive: { value in
                    // As in ReactiveX, the wait for the next value begins when this one has been dealt with.
                    output.cancel(alarm.value)
                    output.emit(value)
                    if output.isActive { wait() }
                },
                end: { output.finish($0) })
        }
    }
}
