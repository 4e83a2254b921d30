import JSON
import Reactive
import StateModel

/// A live view as a source. It delivers the value that the view has after a commit of the space, if it differs from the
/// value delivered before.
final class ViewNode: PipelineNode {
    let name: String
    private let failure: (String) -> StreamFailure
    private var subscription: Subscription?
    /// The last event of the view.
    private var present: Event<JSON>?
    private var delivered: JSON?
    /// True if the view depends on `common`. Then a commit of `common` may change it while the space is not loaded, and
    /// the memory holds the digest of the delivered value.
    private var dependsOnCommon = false
    /// True if the next value is the one that a loaded space has.
    private var isReturning = false

    init(_ name: String, _ slot: MemorySlot, failure: @escaping (String) -> StreamFailure) {
        self.name = name
        self.failure = failure
        super.init(slot)
    }

    /// Follows the view.
    func connect(_ views: SpaceViews, in graph: Graph) {
        guard !isOver else { return }
        dependsOnCommon = views.dependsOnCommon(name)
        guard let view = views[name] else {
            return take(.end(.failed(failure("there is no view \(name)"))))
        }
        isReturning = isBegun
        subscription = view.watch(
            in: graph, receive: { [unowned self] in take(.value($0)) }, end: { [unowned self] in take(.end($0)) })
    }

    private func take(_ event: Event<JSON>) {
        present = event
        if isReturning {
            isReturning = false
            // No commit has changed the value since it was delivered, unless one of `common` did.
            if case .value(let value) = event, !dependsOnCommon { delivered = value }
        }
        noteChanged()
    }

    /// True if the value is the one delivered before. After a load, only its digest is known.
    private func isDelivered(_ value: JSON) -> Bool {
        if let delivered { return delivered == value }
        return dependsOnCommon && slot.value == .string(value.digest)
    }

    override func compute(_ moment: StreamMoment, isFirst: Bool, _ output: inout Emission<JSON>) {
        // An alarm before a commit sees the values from before it.
        guard moment.change != nil || isFirst else { return noteChanged() }
        switch present {
        case .value(let value)?:
            guard isFirst || !isDelivered(value) else { return }
            delivered = value
            if dependsOnCommon { slot.value = .string(value.digest) }
            output.emit(value)
        case .end(let end)?: output.finish(end)
        case nil: break
        }
    }

    override func stop() {
        super.stop()
        subscription?.cancel()
        subscription = nil
        present = nil
        delivered = nil
    }
}

extension JSON {
    /// The digest of the value, as text.
    fileprivate var digest: String {
        var writer = JSONWriter()
        write(to: &writer)
        return Digest(writer.bytes).tag
    }
}

/// A result that the commits of the space accumulate.
final class ChangesNode: PipelineNode {
    private let fold: PipelineSource.ChangeFold
    private let context: CompilationContext
    private var accumulated: JSON
    /// True if the commit with which the stream begins counts.
    var takesFirst = false

    init(_ fold: PipelineSource.ChangeFold, _ slot: MemorySlot, _ context: CompilationContext) {
        self.fold = fold
        self.context = context
        accumulated = fold.initialValue
        super.init(slot)
    }

    func note(_ change: OwnChange) {
        if isBegun, fold.actions.contains(change.action) { noteChanged() }
    }

    override func resumeParts() {
        if let kept = slot.value?.element { accumulated = kept }
    }

    override func compute(_ moment: StreamMoment, isFirst: Bool, _ output: inout Emission<JSON>) {
        if isFirst { output.emit(accumulated) }
        guard let change = moment.change, !isFirst || takesFirst && fold.actions.contains(change.action) else { return }
        output.attempt { output in
            accumulated = try fold.expression(accumulated, try change.tree(), in: context)
            slot.value = .optional(accumulated)
            output.emit(accumulated)
        }
    }

    override func startLate() { takesFirst = false }

    override var latest: JSON? { accumulated }
}

/// An input of a trial as a source: its events, from the time on that it is listened to.
final class InputNode: PipelineNode {
    private let schedule: InputSchedule
    private let context: CompilationContext
    private var start = Instant.zero
    private var next = 0
    private var isDue = false

    init(_ schedule: InputSchedule, _ slot: MemorySlot, _ context: CompilationContext) {
        self.schedule = schedule
        self.context = context
        super.init(slot)
    }

    override var due: Instant? {
        isBegun && !isOver && next < schedule.events.count ? start + schedule.events[next].after : nil
    }

    override var wait: Duration { next < schedule.events.count ? schedule.events[next].after : .zero }

    override func noteDue() {
        isDue = true
        noteChanged()
    }

    override func compute(_ moment: StreamMoment, isFirst: Bool, _ output: inout Emission<JSON>) {
        if isFirst {
            start = moment.now
            if let value = schedule.first { output.emit(value) }
        }
        guard isDue else { return }
        isDue = false
        output.attempt { output in
            guard context.budget.spend(1) else { throw context.budget.failure }
            switch schedule.events[next].event {
            case .value(let value): output.emit(value)
            case .end(let end): output.finish(end)
            }
        }
        next += 1
    }
}
