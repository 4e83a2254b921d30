/// The failure of `timeout`: no event arrived in time.
public struct TimeoutError: Error, Equatable {
    /// The duration of the timeout.
    public let duration: Duration

    /// Creates the error for a timeout of `duration`.
    @inlinable
    public init(duration: Duration) {
        self.duration = duration
    }
}

extension Observable {
    /// Fails if neither a value nor the end arrives within `duration`.
    @inlinable
    public func timeout(_ duration: Duration, on scheduler: any Scheduler) -> Observable<Value> {
        Observable { output in
            let alarm = Box<Alarm?>(nil)
            let wait = {
                alarm.value = output.after(duration, on: scheduler) {
                    output.finish(.failed(TimeoutError(duration: duration)))
                }
            }
            wait()
            output.listen(
                to: self,
                receive: { value in
                    // As in ReactiveX, the wait for the next value begins after this value was processed.
                    output.cancel(alarm.value)
                    output.emit(value)
                    if output.isActive { wait() }
                },
                end: { output.finish($0) })
        }
    }
}
