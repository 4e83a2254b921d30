/// What `throttle` keeps.
@usableFromInline
struct Throttling<Value> {
    /// Whether a value was delivered less than the duration ago.
    @usableFromInline var isClosed = false
    /// The value to be delivered when it no longer is.
    @usableFromInline var waiting: Value?
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
            let state = Cell(Throttling<Value>())
            let close = Cell<() -> Void>({})
            output.undo = { close.value = {} }
            close.value = {
                state.value.isClosed = true
                output.after(duration, on: scheduler) {
                    state.value.isClosed = false
                    guard let value = state.value.waiting else { return }
                    state.value.waiting = nil
                    output.emit(value)
                    if state.value.isEnding { output.finish(.completed) } else if output.isActive { close.value() }
                }
            }
            output.listen(
                to: self,
                receive: { value in
                    if !state.value.isClosed {
                        output.emit(value)
                        if output.isActive { close.value() }
                    } else if latest {
                        state.value.waiting = value
                    }
                },
                end: { end in
                    if case .completed = end, state.value.waiting != nil { state.value.isEnding = true } else { output.finish(end) }
                })
        }
    }
}
