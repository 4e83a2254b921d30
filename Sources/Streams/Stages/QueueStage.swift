import JSON
import Reactive
import StateStore

/// Values that wait, each in an entry of its own: a commit writes those that came or went.
final class WaitingEntries {
    private let slot: MemorySlot
    private let context: CompilationContext
    private let pointer: JSONPointer
    private var waiting = Fifo<JSON>()
    private var first = 0

    init(_ slot: MemorySlot, _ context: CompilationContext, at pointer: JSONPointer) {
        self.slot = slot
        self.context = context
        self.pointer = pointer
    }

    var count: Int { waiting.count }
    var next: JSON? { waiting.first }

    func resume() {
        let numbers = slot.numbers
        first = numbers.first ?? 0
        for number in numbers { waiting.append(slot.appending(number).value?.element ?? .null) }
    }

    func append(_ value: JSON) throws {
        guard waiting.count < StreamLimits.waitingValues else {
            throw context.failure("more than \(StreamLimits.waitingValues) values wait here", at: pointer)
        }
        slot.appending(first + waiting.count).value = .optional(value)
        waiting.append(value)
    }

    func popFirst() -> JSON? {
        guard let value = waiting.popFirst() else { return nil }
        slot.appending(first).value = nil
        first = waiting.isEmpty ? 0 : first + 1
        return value
    }

    func popAll() -> [JSON] {
        var values: [JSON] = []
        while let value = popFirst() { values.append(value) }
        return values
    }
}

/// The stage of `collect` without a period: it delivers arrays of `count` values or, without a count, all at the end.
final class CollectStage: PipelineStage {
    private let waiting: WaitingEntries
    private let count: Int
    private let made: ([JSON]) throws -> JSON

    init(_ waiting: WaitingEntries, count: Int = .max, _ made: @escaping ([JSON]) throws -> JSON) {
        self.waiting = waiting
        self.count = count
        self.made = made
        super.init()
    }

    override func resume() {
        waiting.resume()
    }

    override func receive(_ value: JSON, at now: Timestamp, _ output: inout Emission) throws {
        try waiting.append(value)
        if waiting.count >= count { output.emit(try made(waiting.popAll())) }
    }

    override func end(_ end: End, at now: Timestamp, _ output: inout Emission) throws {
        let values = waiting.popAll()
        if case .completed = end, count == .max || !values.isEmpty { output.emit(try made(values)) }
        output.finish(end)
    }
}

/// The stage of `collect` by time: it delivers the values of each period that has any.
final class PeriodStage: PipelineStage {
    private let slot: MemorySlot
    private let waiting: WaitingEntries
    private let period: Int64
    private let made: ([JSON]) throws -> JSON
    /// The time of the beginning, and the end of the period of the waiting values.
    private var start: Int64 = 0
    private var ending: Int64?

    init(_ slot: MemorySlot, _ waiting: WaitingEntries, _ period: Duration, _ made: @escaping ([JSON]) throws -> JSON) {
        self.slot = slot
        self.waiting = waiting
        self.period = Swift.max(period.wholeNanoseconds / 1_000, 1)
        self.made = made
        super.init()
    }

    override func begin(at now: Timestamp, _ output: inout Emission) throws {
        start = now.microseconds
        save()
    }

    override func resume() {
        waiting.resume()
        guard case .array(let times)? = slot.value, let first = times.first else { return }
        start = Int64(first.whole)
        ending = times.count > 1 ? Int64(times[1].whole) : nil
    }

    private func save() {
        slot.value = .array([start, ending].compactMap { $0.map { .number(Decimal($0)) } })
    }

    override func receive(_ value: JSON, at now: Timestamp, _ output: inout Emission) throws {
        try waiting.append(value)
        guard ending == nil else { return }
        ending = start + ((now.microseconds - start) / period + 1) * period
        save()
    }

    override var due: Timestamp? { ending.map { Timestamp(microseconds: $0) } }
    override var wait: Duration { .microseconds(period) }

    override func elapse(at now: Timestamp, _ output: inout Emission) throws {
        ending = nil
        save()
        output.emit(try made(waiting.popAll()))
    }

    override func end(_ end: End, at now: Timestamp, _ output: inout Emission) throws {
        let values = waiting.popAll()
        if case .completed = end, !values.isEmpty { output.emit(try made(values)) }
        output.finish(end)
    }
}

/// The stage of `delay`.
final class DelayStage: PipelineStage {
    private let waiting: WaitingEntries
    private let duration: Duration

    init(_ waiting: WaitingEntries, _ duration: Duration) {
        self.waiting = waiting
        self.duration = duration
        super.init()
    }

    override func resume() {
        waiting.resume()
    }

    // An element is [time, value], or [time] for the completion.
    private func append(_ value: JSON?, at now: Timestamp) throws {
        let time = JSON.number(Decimal((now + duration).microseconds))
        try waiting.append(.array([time] + (value.map { [$0] } ?? [])))
    }

    override func receive(_ value: JSON, at now: Timestamp, _ output: inout Emission) throws {
        try append(value, at: now)
    }

    override func end(_ end: End, at now: Timestamp, _ output: inout Emission) throws {
        if case .completed = end { try append(nil, at: now) } else { output.finish(end) }
    }

    override var wait: Duration { duration }

    override var due: Timestamp? {
        guard case .array(let parts)? = waiting.next, let time = parts.first else { return nil }
        return Timestamp(microseconds: Int64(time.whole))
    }

    override func elapse(at now: Timestamp, _ output: inout Emission) throws {
        while let due, due <= now, case .array(let parts)? = waiting.popFirst() {
            if parts.count > 1 { output.emit(parts[1]) } else { output.finish(.completed) }
        }
    }
}
