/// The state of `throttle`.
@usableFromInline
struct ThrottleState<Value> {
    /// The earliest time for the next value; nil before the first value.
    @usableFromInline var opening: Instant?
    /// The value that waits for `opening`.
    @usableFromInline var waiting: Value?
    /// The alarm that delivers the waiting value.
    @usableFromInline var alarm: Alarm?
    /// True if completion follows the waiting value.
    @usableFromInline var isEnding = false

    @inlinable init() {}
}

extension Observable {
    /// Delivers at most one value per `duration`. The first value is delivered at once. With `latest`, the last value
    /// within the duration is delivered at its end; otherwise it is dropped. Completion follows the waiting value.
    @inlinable
    public func throttle(_ duration: Duration, on scheduler: any Scheduler, latest: Bool) -> Observable<Value> {
        Observable { output in
            let state = Box(ThrottleState<Value>())
            let deliver = { (value: Value) in
                state.value.opening = scheduler.now + duration
                output.emit(value)
            }
            let deliverWaiting = {
                guard let value = state.value.waiting else { return }
                state.value.waiting = nil
                deliver(value)
                if state.value.isEnding { output.finish(.completed) }
            }
            output.listen(
                to: self,
                receive: { value in
                    let now = scheduler.now
                    // Compares times instead of checking if the alarm has fired. At the end of the duration a value is
                    // in time, whichever of the two comes first.
                    guard let opening = state.value.opening, now < opening else {
                        state.value.waiting = nil
                        output.cancel(state.value.alarm)
                        return deliver(value)
                    }
                    guard latest else { return }
                    if state.value.waiting == nil {
                        state.value.alarm = output.after(opening - now, on: scheduler, deliverWaiting)
                    }
                    state.value.waiting = value
                },
                end: { end in
                    if case .completed = end, state.value.waiting != nil {
                        state.value.isEnding = true
                    } else {
                        output.finish(end)
                    }
                })
        }
    }
}
