/// A place in the graph, whatever the type of its values: what propagation has to know of it.
@safe
public class Node {
    /// The graph it is active in. Every subscription keeps its graph, so the graph outlives its active nodes.
    @usableFromInline package unowned(unsafe) final var graph: Graph?

    /// Whether it is watched, and so computes.
    @usableFromInline package final var isActive = false

    /// The number of joints on the longest way here from a source.
    @usableFromInline package final var height = 0

    /// Where it waits for its sources to settle, if it has to.
    @usableFromInline package final var joint: Joint?

    /// What its values are.
    @usableFromInline package final var statefulness = Statefulness.ifAllSources

    /// The links through which it listens, while active.
    @usableFromInline package final var sources = Links<AnyLink>(isOfListeners: false)

    /// Whether the open transaction has written it.
    @usableFromInline package final var isWritten = false

    /// What a graph asks of a variable that a transaction has written.
    @usableFromInline
    enum WriteCommand {
        /// Forget what was written if it is what is there.
        case dropUnchanged
        /// Take the value that was written, if it is another.
        case apply
        /// Take the value that was written, which was weighed and is another.
        case take
        /// Deliver it.
        case publish
        /// Take the value that was written, which was weighed and is another, and deliver it.
        case deliver
        /// Forget it.
        case discard
    }

    /// The name of the operator that made it, as the compiler wrote it down: a pointer to text that is never freed, because there are many
    /// nodes and nobody asks but who describes a graph.
    @usableFromInline final let maker: UnsafePointer<UInt8>

    @inlinable
    init(madeBy maker: StaticString) {
        unsafe self.maker = maker.utf8Start
    }

    /// Does what a graph asks of a variable that a transaction has written.
    @usableFromInline
    func handle(_ command: WriteCommand) {}

    /// Places this node no lower than what it listens to, and all that listens to it no lower than itself.
    @usableFromInline
    package final func raise(over source: Int) {
        let least = joint == nil ? source : source + 1
        guard least > height else { return }
        height = least
        joint?.height = least
        raiseListeners()
    }

    @usableFromInline
    func raiseListeners() {}

    /// Delivers the end.
    @usableFromInline
    func finish(_ end: End) {}

    /// Becomes inactive if nobody listens any more.
    func stopIfAbandoned() {}

    /// Makes this node one that deals with what arrives once in a turn, when all below it has settled.
    @inlinable
    package final func makeJoint() -> Joint {
        let joint = Joint()
        self.joint = joint
        height = joint.height
        return joint
    }

    /// Checks what must hold of an active node while no turn is under way.
    package func checkInvariants() {
        precondition(joint?.isQueued != true && joint?.isWanted != true, "a joint was left waiting")
        precondition(joint.map { $0.height == height } ?? true, "a joint stands elsewhere than its node")
        var walk = sources.walk()
        while let link = unsafe sources.next(of: &walk) {
            unsafe link._withUnsafeGuaranteedRef { link in
                precondition(link.isAttached && link.listener === self, "a link of another node")
                let least = (link.origin?.height ?? 0) + (joint == nil ? 0 : 1)
                precondition(unsafe graph?.order == .onArrival || height >= least, "a node stands below what it listens to")
            }
        }
    }
}
