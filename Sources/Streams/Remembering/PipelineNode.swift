import JSON
import Reactive
import StateStore

/// The commit or the alarm for which a remembering stream computes.
struct StreamMoment {
    /// The time that the operators see.
    let now: Timestamp
    /// The commit; nil for an alarm.
    let change: OwnChange?
}

/// A source or an operator of a remembering stream. The nodes are a tree: each has one reader, its parent. In a commit
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
        var output = Emission()
        compute(moment, isFirst: isFirst, &output)
        if output.isOver { end() }
        return output.events
    }

    /// Computes the events of a moment. `isFirst` is true for the first computation.
    func compute(_ moment: StreamMoment, isFirst: Bool, _ output: inout Emission) {}

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

    /// The value delivered last, if the memory of the node holds it.
    var latest: JSON? { nil }

    /// Calls `body` with this node and all below it that may still deliver, those below first.
    final func forEachOpen(_ body: (PipelineNode) -> Void) {
        guard !isOver else { return }
        for child in children { child.forEachOpen(body) }
        body(self)
    }
}
