/// A place in the graph, whatever the type of its values: what propagation has to know of it.
public class Node {
    /// What a graph asks of a node.
    @usableFromInline
    package enum Request {
        /// Take the value that a transaction has written.
        case apply
        /// Deliver the value that was applied.
        case publish
        /// Forget the value that a transaction has written.
        case discard
        /// Tell those outside what was delivered in this turn.
        case tell
    }

    /// Answers a request. A stored function and not a method, because it is made where the type of the values is known and so is compiled
    /// for that type; a method of a generic class is not, and costs several times as much.
    @usableFromInline let answer: (Node, Request) -> Void

    /// The graph it is active in. Every subscription keeps its graph, so the graph outlives its active nodes.
    @usableFromInline package unowned(unsafe) final var graph: Graph?

    /// Whether it is watched, and so computes.
    @usableFromInline package final var isActive = false

    /// The number of joints on the longest way here from a source.
    @usableFromInline package final var height = 0

    /// Where it waits for its sources to settle, if it has to.
    @usableFromInline package final var joint: Joint?

    /// What its values are.
    @usableFromInline package final var nature = Nature.asAllSources

    /// The links through which it listens, while active.
    @usableFromInline package final var sources = Links<AnyLink>()

    @inlinable
    init(answer: @escaping (Node, Request) -> Void) {
        self.answer = answer
    }

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
                precondition(unsafe graph?.order == .asItComes || height >= least, "a node stands below what it listens to")
            }
        }
    }
}
