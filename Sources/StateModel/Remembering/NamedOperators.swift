import Ground
import JSON
import Reactive

/// The named operators of one view model, in the order in which it makes them: each after those that it reads.
final class NamedOperators {
    /// The maker of the observable of a named operator, and of one that was made too late.
    static let (maker, lateMaker): (StaticString, StaticString) = ("remembered", "late")

    /// The operators of the view model that is being made.
    @TaskLocal private static var collecting: Confined<NamedOperators>?

    private(set) var operators: [NamedOperator] = []
    private(set) var sources: [CommitSource] = []
    private let feature: String
    private let dependsOnCommon: Bool
    private var memories: Memories?
    private var isConnected = false
    /// The steps that are left in this commit.
    private var steps = MemoryLimits.steps

    /// The operators of a feature in one space, which have a memory from `bind` on. `dependsOnCommon` is true if a commit
    /// of `common` can change their sources.
    init(of feature: String, dependsOnCommon: Bool) {
        self.feature = feature
        self.dependsOnCommon = dependsOnCommon
    }

    /// Makes a view model, and collects its operators.
    static func collect<Model>(into operators: NamedOperators?, _ make: () throws -> Model) rethrows -> Model {
        try $collecting.withValue(operators.map { Confined($0) }, operation: make)
    }

    /// Adds an operator to the view model that is being made, and returns the observable of its values.
    static func add<Output>(_ one: TypedOperator<Output>) -> Observable<Output> {
        guard let collecting else {
            let name = one.name
            return Observable<Output>(madeBy: lateMaker) { output in
                output.finish(
                    .failed(OperatorFailure("the operator \(name) was not made in the initializer of a view model")))
            }
        }
        collecting.value.operators.append(one)
        return one.observable()
    }

    /// Adds a source of commits to the view model that is being made. Returns false if none is.
    static func add(_ source: CommitSource) -> Bool {
        guard let collecting else { return false }
        collecting.value.sources.append(source)
        return true
    }

    /// The variable of an operator's memory.
    private func variable(of one: NamedOperator) -> String { "~\(feature).\(one.name)" }

    private func memory(of one: NamedOperator) -> Memory? { memories?.existing(variable(of: one)) }

    /// Takes what the space remembers.
    func bind(_ memories: Memories) {
        self.memories = memories
        for one in operators { one.resume(memory(of: one)) }
    }

    private func connect(in graph: Graph) {
        isConnected = true
        for one in operators { one.connect(in: graph, dependsOnCommon: dependsOnCommon) }
    }

    private func step(at now: Timestamp, in graph: Graph) {
        for one in operators where one.isOpen { step(one, at: now, in: graph) }
    }

    private func step(_ one: NamedOperator, at now: Timestamp, in graph: Graph) {
        steps -= one.step(at: now, in: graph)
        guard steps < 0 else { return }
        one.fail(
            OperatorFailure("the operators of \(feature) take more than \(MemoryLimits.steps) steps in a commit"),
            in: graph)
        steps = 0
    }
}

extension NamedOperators: Rememberer {
    var isRemembering: Bool { true }
    var deliversAtOnce: Bool { true }
    var due: Timestamp? { operators.compactMap(\.due).min() }

    func resume(in graph: Graph) {
        for one in operators {
            one.disconnect()
            one.resume(memory(of: one))
        }
        connect(in: graph)
    }

    func update(
        _ change: OwnChange, _ entries: [String: [UInt8]], of variable: String, in graph: Graph
    ) {}

    func remember(_ change: OwnChange, in graph: Graph) {
        guard let memories else { return }
        steps = MemoryLimits.steps
        if !isConnected { connect(in: graph) }
        for one in operators where !one.isBegun {
            one.begin(memories.memory(variable(of: one)), at: change.version)
        }
        lapse(to: change.at, in: graph)
        let heard = sources.filter { $0.isActive && $0.actions.contains(change.action) }
        if !heard.isEmpty { graph.turn { for source in heard { source.deliver(change) } } }
        step(at: change.at, in: graph)
    }

    func elapse(to time: Timestamp, in graph: Graph) {
        steps = MemoryLimits.steps
        lapse(to: time, in: graph)
    }

    private func lapse(to time: Timestamp, in graph: Graph) {
        while let due, due <= time, steps > 0 {
            let ready = operators.filter { $0.due == due }
            let longest = ready.map(\.wait).max()
            for one in operators where one.isOpen {
                // Of the alarms of one instant, those that were set first go off first.
                if one.due == due, one.wait == longest {
                    steps -= 1
                    one.elapse(at: due, in: graph)
                }
                step(one, at: due, in: graph)
            }
        }
    }

    func refresh(in graph: Graph) {
        for one in operators { one.refresh(memory(of: one), in: graph) }
    }

    func show(in graph: Graph) {}

    func sources(of output: Node, in graph: Graph) -> (nodes: [Node], subscriptions: [Subscription])? {
        operators.first { $0.delivers(output) }.map { ($0.sources, $0.hold(in: graph)) }
    }
}
