extension Observable {
    /// Runs `action` in a turn of its own after `duration`, unless this observable is inactive by then.
    @usableFromInline
    @discardableResult
    package final func after(
        _ duration: Duration, on scheduler: any Scheduler, _ action: @escaping () throws -> Void
    ) -> Alarm {
        guard let graph = unsafe graph else { preconditionFailure("after() on an inactive observable") }
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

    /// Cancels an alarm that `after` returned.
    @usableFromInline
    package final func cancel(_ alarm: Alarm?) {
        guard let alarm else { return }
        alarm.cancel()
        alarms[ObjectIdentifier(alarm)] = nil
    }
}
