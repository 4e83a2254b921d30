import JSON

/// The kernel of `debounce`.
final class DebounceKernel<Value: JSONConvertible>: OperatorKernel<Value> {
    private let duration: Duration
    private var waiting: TimedInput<Value>?

    init(_ duration: Duration) {
        self.duration = duration
    }

    override func resume(_ memory: Memory?) throws {
        waiting = try memory?.value("waiting")
    }

    func receive(_ value: Value, _ moment: inout OperatorMoment<Value>) throws {
        let next = TimedInput(due: moment.now + duration, value: value)
        try moment.memory.write(next, as: "waiting")
        waiting = next
    }

    override var due: Timestamp? { waiting?.due }
    override var wait: Duration { duration }

    override func elapse(_ moment: inout OperatorMoment<Value>) throws {
        guard let waiting else { return }
        self.waiting = nil
        moment.memory["waiting"] = nil
        moment.emit(waiting.value)
    }
}

/// The kernel of `throttle`.
final class ThrottleKernel<Value: JSONConvertible>: OperatorKernel<Value> {
    private let duration: Duration
    private let takesLatest: Bool
    /// The earliest time for the next value; nil before the first.
    private var opening: Timestamp?
    private var waiting: TimedInput<Value>?

    init(_ duration: Duration, latest: Bool) {
        self.duration = duration
        takesLatest = latest
    }

    override func resume(_ memory: Memory?) throws {
        opening = try memory?.value("opening", as: Int64.self).map { Timestamp(microseconds: $0) }
        waiting = try memory?.value("waiting")
    }

    func receive(_ value: Value, _ moment: inout OperatorMoment<Value>) throws {
        guard let opening, moment.now < opening else { return try deliver(value, &moment) }
        guard takesLatest else { return }
        let next = TimedInput(due: opening, value: value)
        try moment.memory.write(next, as: "waiting")
        waiting = next
    }

    private func deliver(_ value: Value, _ moment: inout OperatorMoment<Value>) throws {
        let next = moment.now + duration
        try moment.memory.write(next.microseconds, as: "opening")
        moment.memory["waiting"] = nil
        (opening, waiting) = (next, nil)
        moment.emit(value)
    }

    override var due: Timestamp? { waiting?.due }
    override var wait: Duration { duration }

    override func elapse(_ moment: inout OperatorMoment<Value>) throws {
        if let waiting { try deliver(waiting.value, &moment) }
    }
}

/// The kernel of `delay`.
final class DelayKernel<Value: JSONConvertible>: OperatorKernel<Value> {
    private let duration: Duration
    private var waiting = WaitingEntryQueue<TimedInput<Value>>("waiting")

    init(_ duration: Duration) {
        self.duration = duration
    }

    override func resume(_ memory: Memory?) throws {
        try waiting.resume(memory)
    }

    func receive(_ value: Value, _ moment: inout OperatorMoment<Value>) throws {
        try waiting.append(TimedInput(due: moment.now + duration, value: value), moment.memory)
    }

    override var due: Timestamp? { waiting.front?.due }
    override var wait: Duration { duration }

    override func elapse(_ moment: inout OperatorMoment<Value>) throws {
        while let first = waiting.front, first.due <= moment.now {
            if let one = waiting.popFirst(moment.memory) { moment.emit(one.value) }
        }
    }
}

/// A value that waits for a time.
private struct TimedInput<Value: JSONConvertible>: JSONConvertible {
    let due: Timestamp
    let value: Value

    init(due: Timestamp, value: Value) {
        self.due = due
        self.value = value
    }

    private static var names: MemberNames { MemberNames(["due", "value"]) }

    init(from reader: inout JSONReader) throws(JSONError) {
        var due: Int64?
        var value: Value?
        _ = try reader.members(of: Self.names) { place, reader throws(JSONError) in
            if place == 0 { due = try Int64(from: &reader) } else { value = try Value(from: &reader) }
        }
        guard let due else { throw JSONError(.missingMember("due"), at: reader.offset) }
        guard let value else { throw JSONError(.missingMember("value"), at: reader.offset) }
        self.init(due: Timestamp(microseconds: due), value: value)
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("due") { due.microseconds.write(to: &$0) }
            writer.field("value") { value.write(to: &$0) }
        }
    }
}
