/// Everything that is derived on one thread, and the propagation of changes through it.
///
/// Propagation happens in turns. In a turn, sources deliver; what has a single source computes at once, in a straight line from it; a joint of
/// several waits in a queue by height until all below it has settled. When everything has settled, those who watch are told. A turn that
/// is asked for within another, by somebody who was told something, runs after it.
public final class Graph {
    /// When a joint deals with what arrives at it.
    @usableFromInline
    package enum JointOrder: Sendable {
        /// Once in a turn, when all below it has settled, so that nothing is computed from a state in between.
        case byHeight
        /// At each arrival, as ReactiveX does: for graphs in which nothing is reached in two ways.
        case onArrival
    }

    @usableFromInline package let order: JointOrder
    @usableFromInline var queue = JointQueue()
    /// Those who have something to tell when everything has settled.
    @usableFromInline var pendingDeliveries = UnmanagedArray<AnyObserverList>()
    /// The variables that the open transaction has written.
    @usableFromInline var written = UnmanagedArray<Node>()
    /// Whether all of them are known to have another value than the one there is.
    @usableFromInline var unchangedAreDropped = false
    /// Whether a turn is under way.
    @usableFromInline package private(set) var isBusy = false
    /// What has settled in this turn: everything lower than this.
    private var settledBelow = Int.max
    /// Whether joints are being run by height.
    @usableFromInline package private(set) var isSettling = false
    /// Those whose last listener has left while joints were run. They stop when all have run, so that one who comes to listen in the same turn
    /// finds what has been computed in it.
    private var abandoned = UnmanagedArray<Node>()
    /// Called when a turn, and those that were asked for within it, have come to their end, where that is awaited.
    package var afterTurns: (() -> Void)?
    /// Whether the end of the turns is awaited, until they have ended once.
    package var isEndAwaited = false
    /// The turns that were asked for within this one.
    private var later: [() -> Void] = []
    /// How many turns there have been.
    package private(set) var turns = 0
    /// The nodes that are active just now.
    package private(set) var activeCount = 0
    #if DEBUG
        private var active: [ObjectIdentifier: Node] = [:]
    #endif

    package init(order: JointOrder = .byHeight) {
        self.order = order
    }

    // MARK: Turns

    /// Has `body` make sources deliver, then settles. Not within a turn.
    @inlinable
    package func turn(_ body: () -> Void) {
        begin(settledBelow: 0)
        body()
        settle()
    }

    /// A turn now or, if one is under way, after it.
    @inlinable
    package func whenIdle(_ body: @escaping () -> Void) {
        if isBusy { postpone(body) } else { turn(body) }
    }

    /// A turn, now or after the one under way, in which nothing that is active already will change.
    @usableFromInline
    package func startWhenIdle(_ body: @escaping () -> Void) {
        whenIdle {
            self.settledBelow = .max
            body()
        }
    }

    /// Whether a node of this height will deliver nothing more in this turn.
    @usableFromInline
    func hasSettled(_ height: Int) -> Bool {
        height < settledBelow || order == .onArrival
    }

    @usableFromInline
    func begin(settledBelow: Int) {
        precondition(!isBusy, "a turn or a commit within a turn; whenIdle and commitWhenIdle wait for its end")
        isBusy = true
        self.settledBelow = settledBelow
    }

    @usableFromInline
    func settle() {
        finishTurn()
        while !later.isEmpty {
            let turns = later
            later = []
            for body in turns {
                settledBelow = 0
                body()
                finishTurn()
            }
        }
        isBusy = false
        guard isEndAwaited else { return }
        isEndAwaited = false
        afterTurns?()
    }

    @usableFromInline
    func postpone(_ body: @escaping () -> Void) {
        later.append(body)
    }

    private func finishTurn() {
        turns &+= 1
        isSettling = order == .byHeight
        runJoints()
        isSettling = false
        settledBelow = .max
        if abandoned.count > 0 { stopAbandoned() }
        deliverToObservers()
    }

    private func deliverToObservers() {
        var index = 0
        while index < pendingDeliveries.count {
            unsafe pendingDeliveries[index]._withUnsafeGuaranteedRef { $0.deliver($0) }
            index += 1
        }
        pendingDeliveries.removeAll()
    }

    // MARK: Joints

    /// Has `joint` run in this turn, once all below it has settled.
    @inlinable
    package func schedule(_ joint: Joint) {
        joint.isWanted = true
        if joint.isQueued { return }
        if order == .byHeight { queue.append(joint) } else { run(joint) }
    }

    private func runJoints() {
        while let joint = unsafe queue.next() {
            unsafe joint._withUnsafeGuaranteedRef { joint in
                joint.isQueued = false
                guard joint.isWanted else { return }
                guard joint.height == queue.lowest else { return queue.append(joint) }
                if settledBelow != .max { settledBelow = joint.height }
                joint.isWanted = false
                joint.run()
            }
        }
    }

    /// Has `joint` run in this turn when what is under way has come to its end, whatever the order.
    @usableFromInline
    package func postpone(_ joint: Joint) {
        joint.isWanted = true
        if !joint.isQueued { queue.append(joint) }
    }

    /// Runs a joint at once, and again for what arrives while it runs.
    @usableFromInline
    func run(_ joint: Joint) {
        joint.isQueued = true
        while joint.isWanted {
            joint.isWanted = false
            joint.run()
        }
        joint.isQueued = false
    }

    // MARK: Nodes

    @usableFromInline
    func noteAbandoned(_ node: Node) {
        abandoned.append(node)
    }

    private func stopAbandoned() {
        var index = 0
        while index < abandoned.count {
            unsafe abandoned[index]._withUnsafeGuaranteedRef { $0.stopIfAbandoned() }
            index += 1
        }
        abandoned.removeAll()
    }

    @usableFromInline
    func noteActive(_ node: Node) {
        activeCount += 1
        #if DEBUG
            active[ObjectIdentifier(node)] = node
        #endif
    }

    @usableFromInline
    func noteInactive(_ node: Node) {
        activeCount -= 1
        #if DEBUG
            active[ObjectIdentifier(node)] = nil
        #endif
    }

    /// Checks, in a debug build, what must hold of the graph and of every active node while no turn is under way.
    package func checkInvariants() {
        #if DEBUG
            precondition(!isBusy, "invariants hold between turns")
            precondition(queue.count == 0 && pendingDeliveries.count == 0 && written.count == 0 && later.isEmpty, "something was left undone")
            precondition(active.count == activeCount, "a node became active or inactive twice")
            for node in active.values {
                let home = unsafe node.graph
                precondition(home === self && node.isActive, "an active node belongs elsewhere")
                node.checkInvariants()
            }
        #endif
    }
}
