/// The machine of `collect` without a period: it delivers arrays of `count` values or, without a count, all on completion.
package struct Collect<Value>: Machine {
    private let count: Int?

    package init(_ count: Int? = nil) {
        self.count = count
    }

    package var initial: WaitingQueue<Value> { WaitingQueue() }

    package func receive(_ value: Value, _ state: inout WaitingQueue<Value>, _ output: inout Emission<[Value]>) throws {
        state.append(value)
        if let count, state.count >= count { output.emit(state.popAll()) }
    }

    package func end(_ end: End, _ state: inout WaitingQueue<Value>, _ output: inout Emission<[Value]>) throws {
        let values = state.popAll()
        if case .completed = end, count == nil || !values.isEmpty { output.emit(values) }
        output.finish(end)
    }
}

/// A machine that delivers all values so far, with each value.
package struct CollectSoFar<Value>: Machine {
    package init() {}

    package var initial: WaitingQueue<Value> { WaitingQueue() }

    package func receive(_ value: Value, _ state: inout WaitingQueue<Value>, _ output: inout Emission<[Value]>) throws {
        state.append(value)
        output.emit(state.all)
    }
}

/// The machine of `collect` by time: it delivers the values of each period that has any.
package struct CollectByTime<Value>: Machine {
    /// The state: the beginning of the first period, the end of the present one, and its values.
    package struct Period {
        package var start: Instant
        package var ending: Instant?
        package var values: WaitingQueue<Value>

        package init(start: Instant = .zero, ending: Instant? = nil, _ values: WaitingQueue<Value> = WaitingQueue()) {
            (self.start, self.ending, self.values) = (start, ending, values)
        }
    }

    private let period: Duration
    /// True if a period without values ends with an alarm too.
    private let ticks: Bool

    package init(_ period: Duration, ticks: Bool) {
        self.period = period
        self.ticks = ticks
    }

    package var initial: Period { Period() }
    package var wait: Duration { period }
    package func due(_ state: Period) -> Instant? { state.ending }

    package func begin(_ state: inout Period, _ output: inout Emission<[Value]>) throws {
        state.start = output.now
        if ticks { state.ending = output.now + period }
    }

    package func receive(_ value: Value, _ state: inout Period, _ output: inout Emission<[Value]>) throws {
        state.values.append(value)
        guard state.ending == nil else { return }
        let length = Swift.max(period.wholeNanoseconds, 1)
        let past = (output.now - state.start).wholeNanoseconds / length
        state.ending = state.start + .nanoseconds((past + 1) * length)
    }

    package func elapse(_ state: inout Period, _ output: inout Emission<[Value]>) throws {
        state.ending = ticks ? state.ending.map { $0 + period } : nil
        let values = state.values.popAll()
        if !values.isEmpty { output.emit(values) }
    }

    package func end(_ end: End, _ state: inout Period, _ output: inout Emission<[Value]>) throws {
        let values = state.values.popAll()
        if case .completed = end, !values.isEmpty { output.emit(values) }
        output.finish(end)
    }
}
