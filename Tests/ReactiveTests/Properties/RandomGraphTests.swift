import Reactive
import Testing

/// Random graphs under random commits, compared with a model that recomputes everything.
struct RandomGraphTests {
    @Test(arguments: 0..<150)
    func `every node delivers the values of the model: Laws T1, T3, T4, T9, V2`(seed: UInt64) {
        var dice = Dice(seed: seed)
        let graph = Graph()
        var formulas = (0..<4).map { Formula.variable($0) }
        for _ in 0..<Int.random(in: 5...30, using: &dice) {
            formulas.append(.random(over: formulas.count, withMemory: true, using: &dice))
        }
        var nodes: [Observable<Int>] = []
        var told: [[Int]] = formulas.map { _ in [] }
        var subscriptions: [Subscription] = []
        for (number, formula) in formulas.enumerated() {
            nodes.append(formula.observable(over: nodes) {})
            subscriptions.append(nodes[number].watch(in: graph) { told[number].append($0) })
        }
        var model = NaiveModel(formulas)
        for commit in 0..<20 {
            let writes = Self.writes(using: &dice)
            told = formulas.map { _ in [] }
            graph.commit { Self.write(writes, to: nodes, in: &$0) }
            model.commit(writes)
            graph.checkInvariants()
            for number in formulas.indices where told[number] != model.delivered[number] {
                Issue.record(
                    "commit \(commit) \(writes), node \(number) \(formulas[number]): \(told[number]) \(model.delivered[number])"
                )
                return
            }
        }
        subscriptions.removeAll()
        #expect(graph.activeCount == 0)
    }

    @Test(arguments: 0..<150)
    func `nothing is computed twice or without need, and nothing is retained: Laws T1, T7, T8, O2, O3`(seed: UInt64) {
        var dice = Dice(seed: seed &+ 1_000)
        let graph = Graph()
        var formulas = (0..<4).map { Formula.variable($0) }
        for _ in 0..<20 { formulas.append(.random(over: formulas.count, withMemory: false, using: &dice)) }
        var nodes: [Observable<Int>] = []
        var computations = formulas.map { _ in 0 }
        for (number, formula) in formulas.enumerated() {
            nodes.append(formula.observable(over: nodes) { computations[number] += 1 })
        }
        var model = NaiveModel(formulas)
        var watches: [Int: Subscription] = [:]
        var told: [Int: [Int]] = [:]
        for _ in 0..<30 {
            for number in formulas.indices where Int.random(in: 0..<6, using: &dice) == 0 {
                if watches.removeValue(forKey: number) == nil {
                    told[number] = []
                    watches[number] = nodes[number].watch(in: graph) { told[number, default: []].append($0) }
                    #expect(told[number] == [model.latest[number]!], "a newcomer is told what is so")
                }
                graph.checkInvariants()
            }
            let before = model
            let writes = Self.writes(using: &dice)
            computations = formulas.map { _ in 0 }
            told = [:]
            graph.commit { Self.write(writes, to: nodes, in: &$0) }
            model.commit(writes)
            graph.checkInvariants()
            let needed = Self.needed(by: watches.keys, formulas, [before, model])
            for number in formulas.indices {
                #expect(computations[number] <= 1, "once in a commit")
                if !needed.contains(number) { #expect(computations[number] == 0, "not without need") }
                #expect(told[number] ?? [] == (watches[number] == nil ? [] : model.delivered[number]))
            }
        }
        watches.removeAll()
        #expect(graph.activeCount == 0)
        let kept = nodes.map(Kept.init)
        nodes.removeAll()
        #expect(kept.allSatisfy { $0.node == nil })
    }

    private static func writes(using dice: inout Dice) -> [Int: Int] {
        var writes: [Int: Int] = [:]
        for _ in 0..<Int.random(in: 1...3, using: &dice) {
            writes[Int.random(in: 0..<4, using: &dice)] = Int.random(in: 0..<6, using: &dice)
        }
        return writes
    }

    private static func write(_ writes: [Int: Int], to nodes: [Observable<Int>], in transaction: inout Transaction) {
        for (number, value) in writes {
            guard let variable = nodes[number] as? Variable<Int> else { continue }
            transaction[variable] = value
        }
    }

    /// The nodes on which the observed ones depended before a commit, or depend after it.
    private static func needed(
        by watched: some Sequence<Int>, _ formulas: [Formula], _ models: [NaiveModel]
    ) -> Set<Int> {
        var needed: Set<Int> = []
        var pending = Array(watched)
        while let number = pending.popLast() {
            guard needed.insert(number).inserted else { continue }
            switch formulas[number] {
            case .map(let source, _): pending.append(source)
            case .combine(let sources): pending += sources
            case .choose(let chooser, let sources):
                pending.append(chooser)
                pending += models.map { sources[abs($0.latest[chooser]!) % sources.count] }
            default: break
            }
        }
        return needed
    }

    /// A weak reference to a node.
    private struct Kept {
        weak var node: Observable<Int>?
    }
}
