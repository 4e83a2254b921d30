/// The dataflow graph of one thread, and the propagation of changes through it.
///
/// Propagation happens in turns. In a turn, sources deliver values. A node with one source computes at once, in a
/// straight line from that source. A joint of several sources waits in a queue, ordered by height, until everything
/// below it has settled. The observers receive their events after everything has settled. A turn that an observer
/// requests within a turn runs after it.
public final class Graph {
    /// The moment at which a joint processes its inputs.
    @usableFromInline
    package enum JointOrder: Sendable {
        /// Once in a turn, after everything below the joint has settled. No value is computed from an intermediate
        /// state (no glitches).
        case byHeight
        /// At each arrival, as in ReactiveX. Suitable for graphs without two paths to the same node.
        case onArrival
    }

    @usableFromInline package let order: JointOrder
    @usableFromInline var queue = JointQueue()
    /// The observer lists with events to deliver at the end of the turn.
    @usableFromInline var pendingDeliveries = UnmanagedArray<AnyObserverList>()
    /// The nodes that the open transaction has written.
    @usableFromInline var written = UnmanagedArray<Node>()
    /// True if the open transaction has dropped the writes that do not change a value.
    @usableFromInline var unchangedAreDropped = false
    /// True if a turn is under way.
    @usableFromInline package private(set) var isBusy = false
    /// The height below which everything has settled in this turn.
    private var settledBelow = Int.max
    /// True if the graph runs joints by height.
    @usableFromInline package private(set) var isSettling = false
    /// The nodes whose last listener left while joints ran. They stop after all joints have run, so that a listener
    /// that arrives in the same turn finds the computed value.
    private var abandoned = UnmanagedArray<Node>()
    /// A callback for the end of a turn and of the turns postponed within it. Called only if `isEndAwaited`.
    package var afterTurns: (() -> Void)?
    /// True if `afterTurns` must be called at the next end of turns.
    package var isEndAwaited = false
    /// The turns requested within this one.
    private var later: [() -> Void] = []
    /// The number of turns so far.
    package private(set) var turns = 0
    /// The number of active nodes.
    package private(set) var activeCount = 0

    /// True while subscriptions take large tables in slices.
    @usableFromInline package private(set) var isBuilding = false
    /// The build whose subscription begins or takes a slice now.
    var building: RowBuild? { didSet { isBuilding = building != nil || !builds.isEmpty } }
    /// True within a turn that takes a slice.
    @usableFromInline var takesSlice: Bool { building != nil }
    /// The builds under way.
    var builds: [RowBuild] = [] { didSet { isBuilding = building != nil || !builds.isEmpty } }
    /// The build of each node that has only a part of the rows.
    var unfinished: [ObjectIdentifier: RowBuild] = [:]
    #if DEBUG
        private var active: [ObjectIdentifier: Node] = [:]
    #endif

    package init(order: JointOrder) {
        self.order = order
    }

    /// Creates a graph without nodes. It belongs to the isolation that makes it: an actor, or one thread. All that is
    /// observed in it is used there.
    public convenience init() {
        self.init(order: .byHeight)
    }

    // MARK: Turns

    /// Runs one turn: `body` makes sources deliver, then the graph settles. Precondition: no turn is under way.
    @inlinable
    package func turn(_ body: () -> Void) {
        begin(settledBelow: 0)
        body()
        settle()
    }

    /// Runs `body` in a turn: at once or, if a turn is under way, after it.
    @inlinable
    package func whenIdle(_ body: @escaping () -> Void) {
        if isBusy { postpone(body) } else { turn(body) }
    }

    /// Runs `body` in a turn, at once or after the one under way. Nodes that are already active do not change in that
    /// turn.
    @usableFromInline
    package func startWhenIdle(_ body: @escaping () -> Void) {
        whenIdle {
            self.settledBelow = .max
            body()
        }
    }

    /// True if a node of this height delivers nothing more in this turn.
    @usableFromInline
    func hasSettled(_ height: Int) -> Bool {
        height < settledBelow || order == .onArrival
    }

    /// Notes that nodes deliver in this turn that had settled.
    func unsettle() { settledBelow = 0 }

    @usableFromInline
    func begin(settledBelow: Int) {
        precondition(!isBusy, "a turn within a turn; whenIdle and commitWhenIdle wait for its end")
        isBusy = true
        self.settledBelow = settledBelow
    }

    /// Leaves a turn in which nothing has been delivered.
    func suspend() {
        assert(isBusy && queue.count == 0 && pendingDeliveries.count == 0 && later.isEmpty, "the turn is under way")
        isBusy = false
    }

    @usableFromInline
    func settle() {
        finishTurn()
        // Later turns, and what they lead to, are of no build.
        let suspended = building
        if suspended != nil { building = nil }
        defer { if suspended != nil { building = suspended } }
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

    /// Schedules `joint` for this turn, after everything below it has settled.
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

    /// Schedules `joint` for the end of the current propagation in this turn, whatever the order.
    @usableFromInline
    package func postpone(_ joint: Joint) {
        joint.isWanted = true
        if !joint.isQueued { queue.append(joint) }
    }

    /// Runs a joint at once, and again for inputs that arrive while it runs.
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

    /// Checks the invariants of the graph and of every active node in a debug build. Precondition: no turn is under
    /// way.
    package func checkInvariants() {
        #if DEBUG
            precondition(!isBusy, "invariants hold only between turns")
            precondition(
                queue.count == 0 && pendingDeliveries.count == 0 && written.count == 0 && later.isEmpty,
                "joints, deliveries, writes or turns are pending")
            precondition(active.count == activeCount, "activeCount != active.count")
            for node in active.values {
                let owner = unsafe node.graph
                precondition(owner === self && node.isActive, "an active node belongs to another graph")
                node.checkInvariants()
            }
        #endif
    }
}

extension Graph: CustomStringConvertible, CustomReflectable {
    /// The number of the nodes that are observed, and of the turns so far. `GraphDrawing` shows nodes.
    public var description: String { "a graph with \(activeCount) observed nodes after \(turns) turns" }

    /// What `description` says: the nodes are not walked.
    public var customMirror: Mirror {
        Mirror(self, children: ["observedNodes": activeCount, "turns": turns], displayStyle: .class)
    }
}
