/// A node of the graph, without the type of its values. Propagation needs nothing else.
@safe
public class Node {
    /// The graph in which the node is active. Every subscription retains its graph, so the graph outlives its active
    /// nodes.
    @usableFromInline package unowned(unsafe) final var graph: Graph?

    /// True if the node has a listener, and so computes.
    @usableFromInline package final var isActive = false

    /// The number of joints on the longest path from a source to this node.
    @usableFromInline package final var height = 0

    /// The joint where the node waits for its sources to settle; nil if it needs none.
    @usableFromInline package final var joint: Joint?

    /// The rule that decides if the node's values are state.
    @usableFromInline package final var statefulness = Statefulness.ifAllSources

    /// The links through which an active node listens.
    @usableFromInline package final var sources = Links<AnyLink>(isOfListeners: false)

    /// True if the open transaction has written the node.
    @usableFromInline package final var isWritten = false

    /// True if a draft counts each write to the node as a change, also one of an equal value. `dropUnchanged` then keeps
    /// the write, and `publish` delivers it.
    @usableFromInline package final var countsEqualWrites = false

    /// A command of the graph to a variable that a transaction has written.
    @usableFromInline
    enum WriteCommand {
        /// Drop the written value if it equals the current value.
        case dropUnchanged
        /// Take the written value if it differs from the current value.
        case apply
        /// Take the written value, which is known to differ.
        case take
        /// Deliver the value just taken.
        case publish
        /// Take the written value, which is known to differ, and deliver it.
        case deliver
        /// Drop the written value.
        case discard
    }

    /// The name of the operator that made the node, as a pointer to static text. A pointer is small: there are many
    /// nodes, and only a description of the graph reads the name.
    @usableFromInline final let maker: UnsafePointer<UInt8>

    @inlinable
    init(madeBy maker: StaticString) {
        unsafe self.maker = maker.utf8Start
    }

    /// Executes a command of the graph on a variable that a transaction has written.
    @usableFromInline
    func handle(_ command: WriteCommand) {}

    /// Raises this node to the height of a source, or one above it for a joint, and raises its listeners accordingly.
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

    /// True for rows by key and for lists of rows, whose value follows from their present rows.
    package var isOfRows: Bool { false }

    /// True for nodes that take their rows in slices as they take commits: rows, lists and folds.
    @usableFromInline package var takesSlices: Bool { isOfRows }

    /// The latest value in short; nil if there is none.
    @usableFromInline
    package var latestText: String? { nil }

    /// Delivers the end.
    @usableFromInline
    func finish(_ end: End) {}

    /// Deactivates the node if it has no listener.
    func stopIfAbandoned() {}

    /// Makes this node a joint: it processes its inputs once in a turn, after everything below it has settled.
    @inlinable
    package final func makeJoint() -> Joint {
        let joint = Joint()
        self.joint = joint
        height = joint.height
        return joint
    }

    /// Checks the invariants of an active node. Precondition: no turn is under way.
    package func checkInvariants() {
        precondition(joint?.isQueued != true && joint?.isWanted != true, "a joint still waits")
        precondition(joint.map { $0.height == height } ?? true, "joint.height != node.height")
        var walk = sources.walk()
        while let link = unsafe sources.next(of: &walk) {
            unsafe link._withUnsafeGuaranteedRef { link in
                precondition(link.isAttached && link.listener === self, "a source link belongs to another node")
                let least = (link.origin?.height ?? 0) + (joint == nil ? 0 : 1)
                precondition(unsafe graph?.order == .onArrival || height >= least, "node.height is below its source")
            }
        }
    }
}

/// The rule that decides if a node is stateful. The values of a stateful node hold until the next value, and a new
/// listener receives the latest one. The values of other nodes are events, which do not replay.
@usableFromInline
package enum Statefulness {
    /// The node delivers events.
    case never
    /// The node is stateful if all its sources are.
    case ifAllSources
    /// The node is stateful if any of its sources is.
    case ifAnySource
}

extension Node {
    /// True if the latest value is state, so that a new listener receives it.
    @usableFromInline
    final var isStateful: Bool {
        var known: [ObjectIdentifier: Bool] = [:]
        return isStateful(&known)
    }

    private final func isStateful(_ known: inout [ObjectIdentifier: Bool]) -> Bool {
        guard statefulness != .never else { return false }
        if let handle = known[ObjectIdentifier(self)] { return handle }
        var states = 0
        var events = 0
        var walk = sources.walk()
        while let link = unsafe sources.next(of: &walk) {
            unsafe link._withUnsafeGuaranteedRef { link in
                guard !link.isSideInput, let origin = link.origin else { return }
                if origin.isStateful(&known) { states += 1 } else { events += 1 }
            }
        }
        let handle = events == 0 || statefulness == .ifAnySource && states > 0
        known[ObjectIdentifier(self)] = handle
        return handle
    }
}
