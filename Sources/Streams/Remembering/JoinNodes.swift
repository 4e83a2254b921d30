import JSON
import Reactive
import StateStore

/// The values of all sources as they come; those of one moment in the order of the sources.
final class MergeNode: PipelineNode {
    override func compute(_ moment: StreamMoment, isFirst: Bool, _ output: inout Emission) {
        for child in children where !output.isOver {
            for event in child.step(moment) {
                switch event {
                case .value(let value): output.emit(value)
                case .end(.failed(let error)): output.finish(.failed(error))
                case .end(.completed): break
                }
            }
        }
        if children.allSatisfy(\.isOver) { output.finish(.completed) }
    }
}

/// The sources one after the other.
final class AppendNode: PipelineNode {
    private var current = 0

    override func resumeParts() {
        current = slot.value?.whole ?? 0
        if current < children.count { children[current].resume() }
    }

    override func compute(_ moment: StreamMoment, isFirst: Bool, _ output: inout Emission) {
        while current < children.count, !output.isOver {
            for event in children[current].step(moment) {
                switch event {
                case .value(let value): output.emit(value)
                case .end(.failed(let error)): output.finish(.failed(error))
                case .end(.completed): break
                }
            }
            guard children[current].isOver else { return }
            current += 1
            if current < children.count { children[current].startLate() }
            slot.value = .number(Decimal(current))
        }
        output.finish(.completed)
    }
}

/// The latest values of all sources as an array, whenever one changes.
final class CombineLatestNode: PipelineNode {
    private let made: ([JSON]) throws -> JSON
    private var values: [JSON?]

    init(_ slot: MemorySlot, _ children: [PipelineNode], _ made: @escaping ([JSON]) throws -> JSON) {
        self.made = made
        values = Array(repeating: nil, count: children.count)
        super.init(slot, children)
    }

    private func slot(of index: Int) -> MemorySlot { slot.appending("latest").appending(index) }

    override func resumeParts() {
        for index in values.indices { values[index] = slot(of: index).value?.element }
        super.resumeParts()
    }

    override func compute(_ moment: StreamMoment, isFirst: Bool, _ output: inout Emission) {
        var isNew = false
        var failure: (any Error)?
        for (index, child) in children.enumerated() {
            var latest: JSON?
            for event in child.step(moment) {
                switch event {
                case .value(let value): latest = value
                case .end(.failed(let error)): failure = failure ?? error
                case .end(.completed): break
                }
            }
            guard let latest else { continue }
            values[index] = latest
            isNew = true
            slot(of: index).value = .optional(latest)
        }
        let present = values.compactMap(\.self)
        if isNew, present.count == values.count { output.attempt { $0.emit(try made(present)) } }
        if let failure { output.finish(.failed(failure)) }
        let isHopeless = zip(children, values).contains { $0.isOver && $1 == nil }
        if isHopeless || children.allSatisfy(\.isOver) { output.finish(.completed) }
    }
}

/// The first values of all sources as an array, then the second, and so on.
final class ZipNode: PipelineNode {
    private let waiting: [WaitingEntries]
    private let made: ([JSON]) throws -> JSON

    init(
        _ slot: MemorySlot, _ children: [PipelineNode], _ context: CompilationContext, at pointer: JSONPointer,
        _ made: @escaping ([JSON]) throws -> JSON
    ) {
        self.made = made
        waiting = children.indices.map {
            WaitingEntries(slot.appending("waiting").appending($0), context, at: pointer)
        }
        super.init(slot, children)
    }

    override func resumeParts() {
        for queue in waiting { queue.resume() }
        super.resumeParts()
    }

    override func compute(_ moment: StreamMoment, isFirst: Bool, _ output: inout Emission) {
        var failure: (any Error)?
        for (child, queue) in zip(children, waiting) {
            for event in child.step(moment) {
                switch event {
                case .value(let value): output.attempt { _ in try queue.append(value) }
                case .end(.failed(let error)): failure = failure ?? error
                case .end(.completed): break
                }
            }
        }
        while waiting.allSatisfy({ $0.count > 0 }), !output.isOver {
            let values = waiting.compactMap { $0.popFirst() }
            output.attempt { $0.emit(try made(values)) }
        }
        if let failure { output.finish(.failed(failure)) }
        if zip(children, waiting).contains(where: { $0.isOver && $1.count == 0 }) { output.finish(.completed) }
    }
}
