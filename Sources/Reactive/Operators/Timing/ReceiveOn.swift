extension Observable {
    /// Delivers each event in a turn of its own, as soon as the scheduler runs it.
    @inlinable
    public func receive(on scheduler: any Scheduler) -> Observable<Value> {
        Observable { output in
            let waiting = Box(Fifo<Event<Value>>())
            let receive = { (event: Event<Value>) in
                waiting.value.append(event)
                output.after(.zero, on: scheduler) {
                    if let event = waiting.value.popFirst() { output.deliver(event) }
                }
            }
            output.listen(to: self, receive: { receive(.value($0)) }, end: { receive(.end($0)) })
        }
    }
}
