import JSON
import Reactive
import StateModel

/// The commit or the alarm for which a tree of nodes computes.
struct StreamMoment {
    /// The time that the operators see.
    let now: Instant
    /// The commit; nil for an alarm, and in a trial.
    let change: OwnChange?

    init(now: Instant, _ change: OwnChange? = nil) {
        self.now = now
        self.change = change
    }
}

/// A source or an operator of a stream that a space keeps. The nodes are a tree: each has one reader, its parent. In a commit
/// each changed node computes once, after the nodes below it.
class PipelineNode {
    final let slot: MemorySlot
    /// The node that reads this one; nil for the root.
    private unowned(unsafe) final var parent: PipelineNode?
    final let children: [PipelineNode]
    /// True if the node, or one below it, has something to compute. Then its parents have, too, from the begun ones on.
    private final var isChanged = true
    /// True after the first computation.
    private(set) final var isBegun = false
    /// True after the end.
    private(set) final var isOver = false

    init(_ slot: MemorySlot, _ children: [PipelineNode] = []) {
        self.slot = slot
        self.children = children
        for child in children { child.parent = self }
    }

    /// Notes that the node has something to compute.
    final func noteChanged() {
        guard !isChanged else { return }
        isChanged = true
        parent?.noteChanged()
    }

    /// Returns the events of a moment.
    final func step(_ moment: StreamMoment) -> [Event<JSON>] {
        guard isChanged, !isOver else { return [] }
        isChanged = false
        let isFirst = !isBegun
        isBegun = true
        var output = Emission<JSON>(at: moment.now)
        compute(moment, isFirst: isFirst, &output)
        if output.isOver { end() }
        return output.events
    }

    /// Computes the events of a moment. `isFirst` is true for the first computation.
    func compute(_ moment: StreamMoment, isFirst: Bool, _ output: inout Emission<JSON>) {}

    private func end() {
        stop()
        if parent != nil { slot.appending("end").value = true }
    }

    /// Ends the node and all nodes below it, which have no reader any more.
    func stop() {
        isOver = true
        for child in children { child.stop() }
    }

    /// Continues from the memory.
    final func resume() {
        isBegun = true
        isChanged = false
        if slot.appending("end").value != nil { stop() } else { resumeParts() }
    }

    /// Takes the state from the memory, and resumes the nodes below that were begun.
    func resumeParts() {
        for child in children { child.resume() }
    }

    /// Begins after the stream: the commit of this moment is one from before.
    func startLate() {
        for child in children { child.startLate() }
    }

    /// The time of the node's own alarm; nil if it has none.
    var due: Instant? { nil }

    /// The time from the setting of the alarm to its going off.
    var wait: Duration { .zero }

    /// Lets the alarm go off in the next computation.
    func noteDue() { noteChanged() }

    /// The nodes below, in the order in which they are listened to.
    var inOrder: [PipelineNode] { children }

    /// The value delivered last, if the memory of the node holds it.
    var latest: JSON? { nil }

    /// Calls `body` with this node and all below it that may still deliver, each before those below it.
    final func forEachOpen(_ body: (PipelineNode) -> Void) {
        guard !isOver else { return }
        body(self)
        for child in inOrder { child.forEachOpen(body) }
    }
}

/// The nodes of a tree that have alarms, each before those below it.
struct TimedNodes {
    private var all: [PipelineNode] = []

    init() {}

    init(of root: PipelineNode) {
        var found: [PipelineNode] = []
        root.forEachOpen { if $0 is StageNode || $0 is InputNode { found.append($0) } }
        all = found
    }

    /// The time of the earliest alarm; nil if there is none.
    var due: Instant? { all.lazy.compactMap(\.due).min() }

    /// Lets the earliest alarms go off in the next computation. Of the alarms of one instant these are the ones that were
    /// set first. The events of inputs, each an event of its own, were set at the beginning: after the alarms that
    /// operators set at the beginning, and before those that values set.
    func noteDue() {
        guard let due else { return }
        let ready = all.filter { $0.due == due }
        let longest = ready.map(\.wait).max()
        let first = ready.filter { $0.wait == longest }
        guard let input = first.first(where: { $0 is InputNode }) else {
            for node in first { node.noteDue() }
            return
        }
        let fresh = first.filter { ($0 as? StageNode)?.isFresh ?? false }
        for node in fresh.isEmpty ? [input] : fresh { node.noteDue() }
    }
}
