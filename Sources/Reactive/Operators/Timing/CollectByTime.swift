extension Observable {
    /// Delivers the values of each `period` as one array at its end, and the remaining values on completion. A period
    /// without values delivers nothing.
    @inlinable
    public func collect(every period: Duration, on scheduler: any Scheduler) -> Observable<[Value]> {
        Observable<[Value]> { output in
            let collected = Box<[Value]>([])
            let deliver = {
                guard !collected.value.isEmpty else { return }
                let all = collected.value
                collected.value = []
                output.emit(all)
            }
            let wait = Box<(Instant) -> Void>({ _ in })
            output.undo = { wait.value = { _ in } }
            wait.value = { end in
                output.after(end - scheduler.now, on: scheduler) {
                    deliver()
                    if output.isActive { wait.value(end + period) }
                }
            }
            wait.value(scheduler.now + period)
            output.listen(
                to: self,
                receive: { collected.value.append($0) },
                end: { end in
                    if case .completed = end { deliver() }
                    output.finish(end)
                })
        }
    }
}
