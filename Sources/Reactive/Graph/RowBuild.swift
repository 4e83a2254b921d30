/// A subscription that takes the rows of large tables in slices, each in a turn of its own.
///
/// The rows, lists and folds between a table and its subscriber take a slice as they take a commit: in O(log n) for each
/// row. So they have the value of the present rows after the last slice, and a commit between two slices needs nothing of
/// its own. Until then a node that has a part of the rows is *unfinished*, and so are the nodes that listen to it. A
/// listener of the build that is not made for slices gets no value of an unfinished node; it gets the present one at the
/// end. For a listener from outside, which cannot wait, all slices that are left come in the turn in which it begins.
@usableFromInline
package final class RowBuild {
    /// A part of the work. It returns true at its end.
    @usableFromInline package typealias Step = () -> Bool

    /// The rows of a table from which on it is taken in slices.
    package static let rowsAtLeast = 4_096
    /// The rows of a slice.
    package static let sliceRows = 512

    // The graph retains the builds that are under way, and each ends with its last slice.
    private unowned let graph: Graph
    private var steps = Fifo<Step>()
    /// The closures that give listeners the values that they have missed.
    private var gates: [() -> Void] = []
    /// The builds whose nodes this one listens to.
    private var others: [RowBuild] = []
    /// The nodes that are unfinished because of this build.
    fileprivate var nodes: [ObjectIdentifier] = []
    /// True once all values are those of the present rows.
    package private(set) var isComplete = false
    /// Called once at the end, after the turn in which listeners get the values that they have missed.
    package var completed: (() -> Void)?

    /// A build without work.
    package init(in graph: Graph) { self.graph = graph }

    /// Runs `body`, which subscribes: the tables that this reaches are taken in slices. Precondition: no turn is under way.
    package func begin<Result>(_ body: () -> Result) -> Result {
        precondition(!graph.isBusy && graph.building == nil, "a build begins between turns")
        graph.builds.append(self)
        graph.building = self
        let result = body()
        graph.building = nil
        graph.completeBuilds()
        return result
    }

    /// Adds work: one call of `step` in each of the next turns, until it returns true.
    package func add(_ step: @escaping Step) { steps.append(step) }

    /// Waits for another build as well.
    package func depend(on other: RowBuild) {
        guard other !== self, !others.contains(where: { $0 === other }) else { return }
        others.append(other)
    }

    func addGate(_ gate: @escaping () -> Void) { gates.append(gate) }

    /// Takes one slice, in a turn. Precondition: no turn is under way, and the build is not complete.
    package func takeSlice() {
        guard let working = reached.first(where: { !$0.steps.isEmpty }) else { return graph.completeBuilds() }
        working.takeOwnSlice()
        graph.completeBuilds()
    }

    private func takeOwnSlice() {
        graph.building = self
        graph.turn { takeStep() }
        graph.building = nil
    }

    private func takeStep() {
        if let step = steps.popFirst(), !step() { steps.append(step) }
    }

    /// Takes all slices that are left, in the turn that is under way. Precondition: no subscription of a build begins.
    fileprivate func finishInTurn() {
        let reached = reached
        for build in reached {
            graph.building = build
            while !build.steps.isEmpty { build.takeStep() }
        }
        graph.building = nil
        graph.unsettle()
        for build in reached {
            graph.drop(build)
            build.openGates()
        }
    }

    private func openGates() {
        let gates = gates
        self.gates = []
        for gate in gates { gate() }
    }

    /// Takes all slices that are left. Precondition: no turn is under way.
    package func finish() {
        while !isComplete { takeSlice() }
    }

    /// This build and those that it waits for.
    private var reached: [RowBuild] {
        var all = [self]
        var next = 0
        while next < all.count {
            for other in all[next].others where !all.contains(where: { $0 === other }) { all.append(other) }
            next += 1
        }
        return all
    }

    /// True if neither this build nor one that it waits for has a slice left.
    fileprivate var isOver: Bool { steps.isEmpty && (others.isEmpty || reached.allSatisfy(\.steps.isEmpty)) }

    fileprivate func complete() {
        isComplete = true
        others = []
        if !gates.isEmpty { graph.turn { openGates() } }
        let completed = completed
        self.completed = nil
        completed?()
    }
}

/// The builds under way.
extension Graph {
    /// The build because of which a node has only a part of the rows; nil if its value is that of the present rows.
    package func unfinished(_ node: Node) -> RowBuild? { unfinished[ObjectIdentifier(node)] }

    /// Notes that a node has only a part of the rows until a build ends.
    package func noteUnfinished(_ node: Node, _ build: RowBuild) {
        guard unfinished.updateValue(build, forKey: ObjectIdentifier(node)) !== build else { return }
        build.nodes.append(ObjectIdentifier(node))
    }

    /// Lets a source take all slices that are left, if it is unfinished and its new listener is of no build.
    @usableFromInline
    func finishForOthers(_ source: Node) {
        if building == nil, let build = unfinished(source) { build.finishInTurn() }
    }

    /// Notes that a node listens to another one, which may be unfinished.
    func noteListening(_ node: Node, to source: Node) {
        guard let building, let build = unfinished(source) else { return }
        building.depend(on: build)
        noteUnfinished(node, building)
    }

    /// Forgets a node that computes nothing any more.
    func forgetUnfinished(_ node: Node) { unfinished[ObjectIdentifier(node)] = nil }

    /// Ends the builds that have no slice left.
    fileprivate func completeBuilds() {
        while let place = builds.firstIndex(where: \.isOver) {
            let build = builds.remove(at: place)
            drop(build)
            build.complete()
        }
    }

    /// Forgets the unfinished nodes of a build, which has no slice left.
    fileprivate func drop(_ build: RowBuild) {
        for node in build.nodes where unfinished[node] === build { unfinished[node] = nil }
        build.nodes = []
    }
}
