import JSON
import Reactive

/// The events of an input of a trial, and their times. Each subscription plays them from the start.
struct InputSchedule: Sendable {
    let events: [ScheduledEvent]
    /// The value at the beginning, before all events; nil for none.
    let first: JSON?

    init(_ events: [ScheduledEvent]) {
        self.events = events
        first = Optional.none
    }

    /// The input of a view that keeps its value.
    init(present value: JSON) {
        events = []
        first = value
    }

    /// Returns an observable that plays the events. It sets all alarms at its start, in their order.
    func observable(on scheduler: any Scheduler) -> Observable<JSON> {
        Observable { output in
            output.statefulness = .never
            if let first { output.emit(first) }
            for one in events { output.after(one.after, on: scheduler) { output.deliver(one.event) } }
        }
    }
}

/// One event of an input, and the time from the subscription until it happens.
struct ScheduledEvent: Sendable {
    let after: Duration
    let event: Event<JSON>
}
