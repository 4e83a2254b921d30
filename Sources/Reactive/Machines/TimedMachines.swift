/// A value that waits for a time.
package struct Timed<Value> {
    package let due: Instant
    package let value: Value

    package init(due: Instant, _ value: Value) {
        self.due = due
        self.value = value
    }
}

/// The machine of `debounce`.
package struct Debounce<Value>: Machine {
    package let wait: Duration

    package init(_ duration: Duration) {
        wait = duration
    }

    package var initial: Timed<Value>? { nil }
    package var setsAnew: Bool { true }
    package func due(_ state: Timed<Value>?) -> Instant? { state?.due }

    package func receive(_ value: Value, _ state: inout Timed<Value>?, _ output: inout Emission<Value>) throws {
        state = Timed(due: output.now + wait, value)
    }

    package func elapse(_ state: inout Timed<Value>?, _ output: inout Emission<Value>) throws {
        if let waiting = state { output.emit(waiting.value) }
        state = nil
    }

    package func end(_ end: End, _ state: inout Timed<Value>?, _ output: inout Emission<Value>) throws {
        if case .completed = end { try elapse(&state, &output) }
        output.finish(end)
    }
}

/// The machine of `throttle`.
package struct Throttle<Value>: Machine {
    /// The state.
    package struct Window {
        /// The earliest time for the next value; nil before the first.
        package var opening: Instant?
        /// The value that waits for it.
        package var waiting: Value?
        /// True if completion follows the waiting value.
        package var isEnding: Bool

        package init(opening: Instant? = nil, waiting: Value? = nil, isEnding: Bool = false) {
            (self.opening, self.waiting, self.isEnding) = (opening, waiting, isEnding)
        }
    }

    package let wait: Duration
    private let takesLatest: Bool

    package init(_ duration: Duration, latest: Bool) {
        wait = duration
        takesLatest = latest
    }

    package var initial: Window { Window() }
    package func due(_ state: Window) -> Instant? { state.waiting == nil ? nil : state.opening }

    package func receive(_ value: Value, _ state: inout Window, _ output: inout Emission<Value>) throws {
        // At the end of the duration a value is in time, whether the alarm has gone off or not.
        if let opening = state.opening, output.now < opening {
            if takesLatest { state.waiting = value }
        } else {
            state.opening = output.now + wait
            state.waiting = nil
            output.emit(value)
        }
    }

    package func elapse(_ state: inout Window, _ output: inout Emission<Value>) throws {
        guard let waiting = state.waiting else { return }
        state.opening = output.now + wait
        state.waiting = nil
        output.emit(waiting)
        if state.isEnding { output.finish(.completed) }
    }

    package func end(_ end: End, _ state: inout Window, _ output: inout Emission<Value>) throws {
        guard case .completed = end, state.waiting != nil else { return output.finish(end) }
        state.isEnding = true
    }
}

/// The machine of `delay`. The completion waits as a value does, without one.
package struct Delay<Value>: Machine {
    package let wait: Duration

    package init(_ duration: Duration) {
        wait = Swift.max(duration, .zero)
    }

    package var initial: WaitingQueue<Timed<Value?>> { WaitingQueue() }
    package func due(_ state: WaitingQueue<Timed<Value?>>) -> Instant? { state.first?.due }

    package func receive(
        _ value: Value, _ state: inout WaitingQueue<Timed<Value?>>, _ output: inout Emission<Value>
    ) throws {
        state.append(Timed(due: output.now + wait, value))
    }

    package func end(_ end: End, _ state: inout WaitingQueue<Timed<Value?>>, _ output: inout Emission<Value>) throws {
        if case .completed = end { state.append(Timed(due: output.now + wait, nil)) } else { output.finish(end) }
    }

    package func elapse(_ state: inout WaitingQueue<Timed<Value?>>, _ output: inout Emission<Value>) throws {
        while let first = state.first, first.due <= output.now {
            _ = state.popFirst()
            if let value = first.value { output.emit(value) } else { output.finish(.completed) }
        }
    }
}

/// The machine of `timeout`.
package struct Timeout<Value>: Machine {
    package let wait: Duration
    private let failure: (Duration) -> any Error

    package init(_ duration: Duration, failure: @escaping (Duration) -> any Error = { TimeoutError(duration: $0) }) {
        wait = duration
        self.failure = failure
    }

    package var initial: Instant? { nil }
    package var setsAnew: Bool { true }
    package func due(_ state: Instant?) -> Instant? { state }

    package func begin(_ state: inout Instant?, _ output: inout Emission<Value>) throws {
        state = output.now + wait
    }

    package func receive(_ value: Value, _ state: inout Instant?, _ output: inout Emission<Value>) throws {
        state = output.now + wait
        output.emit(value)
    }

    package func elapse(_ state: inout Instant?, _ output: inout Emission<Value>) throws {
        state = nil
        throw failure(wait)
    }
}

/// The failure of `timeout`: no event arrived in time.
public struct TimeoutError: Error, Equatable {
    /// The duration of the timeout.
    public let duration: Duration

    /// Creates the error for a timeout of `duration`.
    public init(duration: Duration) {
        self.duration = duration
    }
}

/// The machine of `measureInterval`. Its state is the time of the previous value, or of the beginning.
package struct MeasureInterval<Value>: Machine {
    package init() {}

    package var initial: Instant { .zero }

    package func begin(_ state: inout Instant, _ output: inout Emission<Duration>) throws {
        state = output.now
    }

    package func receive(_ value: Value, _ state: inout Instant, _ output: inout Emission<Duration>) throws {
        output.emit(output.now - state)
        state = output.now
    }
}
