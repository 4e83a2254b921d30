import JSON
import Reactive
import StateModel

/// The values of all sources as they come; those of one moment in the order of the sources.
final class MergeNode: PipelineNode {
    override func compute(_ moment: StreamMoment, isFirst: Bool, _ output: inout Emission<JSON>) {
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

    override func compute(_ moment: StreamMoment, isFirst: Bool, _ output: inout Emission<JSON>) {
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
    private let place: OperatorPlace
    private var values: [JSON?]
    private let memories: [any OperatorMemory]

    init(_ slot: MemorySlot, _ children: [PipelineNode], at place: OperatorPlace) {
        self.place = place
        values = Array(repeating: nil, count: children.count)
        memories = children.indices.map { place.memory(in: slot.appending("latest").appending($0)) }
        super.init(slot, children)
    }

    private func slot(of index: Int) -> MemorySlot { slot.appending("latest").appending(index) }

    override func resumeParts() {
        for index in values.indices { values[index] = slot(of: index).value?.element }
        super.resumeParts()
    }

    override func compute(_ moment: StreamMoment, isFirst: Bool, _ output: inout Emission<JSON>) {
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
            output.attempt { _ in try memories[index].keep(.optional(latest), holding: latest) }
        }
        let present = values.compactMap(\.self)
        if isNew, present.count == values.count { output.attempt { $0.emit(try place.array(present)) } }
        if let failure { output.finish(.failed(failure)) }
        let isHopeless = zip(children, values).contains { $0.isOver && $1 == nil }
        if isHopeless || children.allSatisfy(\.isOver) { output.finish(.completed) }
    }
}

/// The first values of all sources as an array, then the second, and so on.
final class ZipNode: PipelineNode {
    private var waiting: [WaitingQueue<JSON>]
    private let form: KeptForm<WaitingQueue<JSON>>
    private let place: OperatorPlace
    private let memories: [any OperatorMemory]

    init(_ slot: MemorySlot, _ children: [PipelineNode], at place: OperatorPlace) {
        self.place = place
        memories = children.indices.map { place.memory(in: slot.appending("waiting").appending($0)) }
        form = .waiting.limited(at: place)
        waiting = children.map { _ in WaitingQueue() }
        super.init(slot, children)
    }

    private func slot(of index: Int) -> MemorySlot { slot.appending("waiting").appending(index) }

    override func resumeParts() {
        for index in waiting.indices { waiting[index] = slot(of: index).waiting { $0 } }
        super.resumeParts()
    }

    override func compute(_ moment: StreamMoment, isFirst: Bool, _ output: inout Emission<JSON>) {
        var failure: (any Error)?
        for (index, child) in children.enumerated() {
            for event in child.step(moment) {
                switch event {
                case .value(let value): waiting[index].append(value)
                case .end(.failed(let error)): failure = failure ?? error
                case .end(.completed): break
                }
            }
        }
        while waiting.allSatisfy({ !$0.isEmpty }), !output.isOver {
            let values = waiting.indices.compactMap { waiting[$0].popFirst() }
            output.attempt { $0.emit(try place.array(values)) }
        }
        for index in waiting.indices { output.attempt { _ in try form.keep(&waiting[index], memories[index]) } }
        if let failure { output.finish(.failed(failure)) }
        if zip(children, waiting).contains(where: { $0.isOver && $1.isEmpty }) { output.finish(.completed) }
    }
}
