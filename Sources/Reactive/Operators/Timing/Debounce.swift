extension Observable {
    /// Delivers a value once no other has followed it for `duration`. On completion it delivers the waiting value at
    /// once.
    @inlinable
    public func debounce(_ duration: Duration, on scheduler: any Scheduler) -> Observable<Value> {
        Observable { output in
            let waiting = Box<Value?>(nil)
            let alarm = Box<Alarm?>(nil)
            let deliver = {
                guard let value = waiting.value else { return }
                waiting.value = nil
                output.emit(value)
            }
            output.listen(
                to: self,
                receive: { value in
                    output.cancel(alarm.value)
                    waiting.value = value
                    alarm.value = output.after(duration, on: scheduler, deliver)
                },
                end: { end in
                    if case .completed = end { deliver() }
                    output.finish(end)
                })
        }
    }
}
