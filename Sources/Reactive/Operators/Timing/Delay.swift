extension Observable {
    /// Delays each value and the completion by `duration`. A failure is delivered at once and drops the waiting values.
    @inlinable
    public func delay(_ duration: Duration, on scheduler: any Scheduler) -> Observable<Value> {
        Observable { output in
            let waiting = Box(Fifo<(due: Instant, event: Event<Value>)>())
            // One alarm serves all waiting events: it is set for the first, then for the next.
            let isSet = Box(false)
            let wait = Box<(Duration) -> Void>({ _ in })
            output.undo = { wait.value = { _ in } }
            wait.value = { duration in
                isSet.value = true
                output.after(duration, on: scheduler) {
                    while output.isActive, let first = waiting.value.first, first.due <= scheduler.now {
                        _ = waiting.value.popFirst()
                        output.deliver(first.event)
                    }
                    isSet.value = false
                    if output.isActive, let next = waiting.value.first { wait.value(next.due - scheduler.now) }
                }
            }
            let receive = { (event: Event<Value>) in
                waiting.value.append((scheduler.now + duration, event))
                if !isSet.value { wait.value(duration) }
            }
            output.listen(
                to: self,
                receive: { receive(.value($0)) },
                end: { end in
                    if case .failed = end { output.finish(end) } else { receive(.end(end)) }
                })
        }
    }

    /// Delivers an event.
    @inlinable
    package func deliver(_ event: Event<Value>) {
        switch event {
        case .value(let value): emit(value)
        case .end(let end): finish(end)
        }
    }
}
