import JSON
import Reactive
import StateStore

/// The stage of `withLatestFrom`.
final class LatestFromStage: PipelineStage {
    private let slot: MemorySlot
    private let made: ([JSON]) throws -> JSON
    private var other: JSON?

    init(_ slot: MemorySlot, _ made: @escaping ([JSON]) throws -> JSON) {
        self.slot = slot
        self.made = made
        super.init()
    }

    override func resume() {
        other = slot.value?.element
    }

    override func receiveSide(_ value: JSON, at now: Timestamp, _ output: inout Emission) throws {
        other = value
        slot.value = .optional(value)
    }

    override func receive(_ value: JSON, at now: Timestamp, _ output: inout Emission) throws {
        if let other { output.emit(try made([value, other])) }
    }
}

/// The stage of `sample`.
final class SampleStage: PipelineStage {
    private let slot: MemorySlot
    private var latestValue: JSON?

    init(_ slot: MemorySlot) {
        self.slot = slot
        super.init(sideIsFirst: false)
    }

    override func resume() {
        latestValue = slot.value?.element
    }

    private func keep(_ value: JSON?) {
        latestValue = value
        slot.value = value.map { .optional($0) }
    }

    override func receive(_ value: JSON, at now: Timestamp, _ output: inout Emission) throws {
        keep(value)
    }

    override func receiveSide(_ value: JSON, at now: Timestamp, _ output: inout Emission) throws {
        guard let latestValue else { return }
        keep(nil)
        output.emit(latestValue)
    }

    override func endSide(at now: Timestamp, _ output: inout Emission) throws {
        output.finish(.completed)
    }
}

/// The stage of `prefix` until a source delivers.
final class PrefixUntilStage: PipelineStage {
    init() {
        super.init()
    }

    override func receiveSide(_ value: JSON, at now: Timestamp, _ output: inout Emission) throws {
        output.finish(.completed)
    }
}

/// The stage of `skip` until a source delivers.
final class SkipUntilStage: PipelineStage {
    private let slot: MemorySlot
    private var isOpen = false

    init(_ slot: MemorySlot) {
        self.slot = slot
        super.init()
    }

    override func resume() {
        isOpen = slot.value != nil
    }

    override func receiveSide(_ value: JSON, at now: Timestamp, _ output: inout Emission) throws {
        isOpen = true
        slot.value = true
    }

    override var takesSide: Bool { !isOpen }

    override func receive(_ value: JSON, at now: Timestamp, _ output: inout Emission) throws {
        if isOpen { output.emit(value) }
    }
}

/// The stage of `prepend`: its values come before all others.
final class PrependStage: PipelineStage {
    private let values: [JSON]

    init(_ values: [JSON]) {
        self.values = values
        super.init()
    }

    override func begin(at now: Timestamp, _ output: inout Emission) throws {
        for value in values { output.emit(value) }
    }
}
