/// What `throttle` keeps.
@usableFromInline
struct ThrottleState<Value> {
    /// When the next value may be delivered; nil before the first.
    @usableFromInline var opening: Instant?
    /// The value to be delivered then,
    @usableFromInline var waiting: Value?
    /// and what sees to it.
    @usableFromInline var alarm: Alarm?
    /// Whether the completion follows that value.
    @usableFromInline var isEnding = false

    @inlinable init() {}
}

extension Observable {
    /// At most one value in each duration: the first at once, and of those that follow within the duration the latest at its end, where
    /// `latest` says so, else none. A completion waits for the value that waits.
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
                    // By the time and not by whether the alarm has gone: at the end of the duration a value is in time, whichever is first.
                    guard let opening = state.value.opening, now < opening else {
                        state.value.waiting = nil
                        output.cancel(state.value.alarm)
                        return deliver(value)
                    }
                    guard latest else { return }
                    if state.value.waiting == nil { state.value.alarm = output.after(opening - now, on: scheduler, deliverWaiting) }
                    state.value.waiting = value
                },
                end: { end in
                    if case .completed = end, state.value.waiting != nil { state.value.isEnding = true } else { output.finish(end) }
                })
        }
    }
}
