import JSON
import Reactive
import StateStore

/// The stage of `debounce`.
final class DebounceStage: PipelineStage {
    private let slot: MemorySlot
    private let duration: Duration
    private var waiting: (due: Timestamp, value: JSON)?

    init(_ slot: MemorySlot, _ duration: Duration) {
        self.slot = slot
        self.duration = duration
        super.init()
    }

    override func resume() {
        guard case .array(let parts)? = slot.value, parts.count == 2 else { return }
        waiting = (Timestamp(microseconds: Int64(parts[0].whole)), parts[1])
    }

    private func wait(for value: JSON?, until due: Timestamp) {
        waiting = value.map { (due, $0) }
        slot.value = value.map { .array([.number(Decimal(due.microseconds)), $0]) }
    }

    override func receive(_ value: JSON, at now: Timestamp, _ output: inout Emission) throws {
        wait(for: value, until: now + duration)
    }

    override func end(_ end: End, at now: Timestamp, _ output: inout Emission) throws {
        if case .completed = end, let waiting { output.emit(waiting.value) }
        wait(for: nil, until: now)
        output.finish(end)
    }

    override var due: Timestamp? { waiting?.due }
    override var wait: Duration { duration }

    override func elapse(at now: Timestamp, _ output: inout Emission) throws {
        guard let value = waiting?.value else { return }
        wait(for: nil, until: now)
        output.emit(value)
    }
}

/// The stage of `throttle`.
final class ThrottleStage: PipelineStage {
    private let slot: MemorySlot
    private let duration: Duration
    private let takesLatest: Bool
    /// The earliest time for the next value; nil before the first.
    private var opening: Timestamp?
    private var waiting: JSON?
    private var isEnding = false

    init(_ slot: MemorySlot, _ duration: Duration, latest: Bool) {
        self.slot = slot
        self.duration = duration
        takesLatest = latest
        super.init()
    }

    override func resume() {
        guard case .array(let parts)? = slot.value, parts.count == 3 else { return }
        opening = Timestamp(microseconds: Int64(parts[0].whole))
        waiting = parts[1].element
        isEnding = parts[2] == .bool(true)
    }

    private func save() {
        slot.value = opening.map { .array([.number(Decimal($0.microseconds)), .optional(waiting), .bool(isEnding)]) }
    }

    private func deliver(_ value: JSON, at now: Timestamp, _ output: inout Emission) {
        opening = now + duration
        waiting = nil
        output.emit(value)
    }

    override func receive(_ value: JSON, at now: Timestamp, _ output: inout Emission) throws {
        if let opening, now < opening {
            if takesLatest { waiting = value }
        } else {
            deliver(value, at: now, &output)
        }
        save()
    }

    override func end(_ end: End, at now: Timestamp, _ output: inout Emission) throws {
        guard case .completed = end, waiting != nil else { return output.finish(end) }
        isEnding = true
        save()
    }

    override var due: Timestamp? { waiting == nil ? nil : opening }
    override var wait: Duration { duration }

    override func elapse(at now: Timestamp, _ output: inout Emission) throws {
        guard let waiting else { return }
        deliver(waiting, at: now, &output)
        save()
        if isEnding { output.finish(.completed) }
    }
}

/// The stage of `timeout`.
final class TimeoutStage: PipelineStage {
    private let slot: MemorySlot
    private let duration: Duration
    private let failure: () -> any Error
    private var deadline: Timestamp?

    init(_ slot: MemorySlot, _ duration: Duration, failure: @escaping () -> any Error) {
        self.slot = slot
        self.duration = duration
        self.failure = failure
        super.init()
    }

    override func resume() {
        deadline = slot.value.map { Timestamp(microseconds: Int64($0.whole)) }
    }

    private func wait(from now: Timestamp) {
        let due = now + duration
        deadline = due
        slot.value = .number(Decimal(due.microseconds))
    }

    override func begin(at now: Timestamp, _ output: inout Emission) throws {
        wait(from: now)
    }

    override func receive(_ value: JSON, at now: Timestamp, _ output: inout Emission) throws {
        wait(from: now)
        output.emit(value)
    }

    override var due: Timestamp? { deadline }
    override var wait: Duration { duration }

    override func elapse(at now: Timestamp, _ output: inout Emission) throws {
        deadline = nil
        throw failure()
    }
}

/// The stage of `measureInterval`.
final class IntervalStage: PipelineStage {
    private let slot: MemorySlot
    private var previous: Int64 = 0

    init(_ slot: MemorySlot) {
        self.slot = slot
        super.init()
    }

    override func resume() {
        previous = Int64(slot.value?.whole ?? 0)
    }

    override func begin(at now: Timestamp, _ output: inout Emission) throws {
        note(now)
    }

    private func note(_ now: Timestamp) {
        previous = now.microseconds
        slot.value = .number(Decimal(previous))
    }

    override func receive(_ value: JSON, at now: Timestamp, _ output: inout Emission) throws {
        let passed = Duration.microseconds(now.microseconds - previous)
        note(now)
        output.emit(.number(passed.seconds))
    }
}
