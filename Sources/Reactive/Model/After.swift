extension Observable {
    /// Does `action`, in a turn of its own, after `duration`, unless this observable is no longer active then.
    @usableFromInline
    @discardableResult
    package final func after(_ duration: Duration, on scheduler: any Scheduler, _ action: @escaping () throws -> Void) -> Alarm {
        guard let graph = unsafe graph else { preconditionFailure("an inactive observable waits for nothing") }
        let alarm = Alarm(at: scheduler.now + Swift.max(duration, .zero)) { alarm in
            graph.whenIdle {
                guard !alarm.isCancelled else { return }
                self.alarms[ObjectIdentifier(alarm)] = nil
                self.attempt(action)
            }
        }
        alarms[ObjectIdentifier(alarm)] = alarm
        scheduler.set(alarm)
        return alarm
    }

    /// Ends an alarm that was set here.
    @usableFromInline
    package final func cancel(_ alarm: Alarm?) {
        guard let alarm else { return }
        alarm.cancel()
        alarms[ObjectIdentifier(alarm)] = nil
    }
}
