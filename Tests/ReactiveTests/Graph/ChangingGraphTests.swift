import Reactive
import Testing

/// Graphs that change within a turn.
struct ChangingGraphTests {
    private let graph = Graph()
    private let choice = Variable(0)
    private let number = Variable(1)

    /// An observable that equals the number and is `height` joints above it.
    private func raised(_ height: Int) -> Observable<Int> {
        (0..<height).reduce(number) { below, _ in combineLatest(below, number).map { Swift.min($0, $1) } }
    }

    @Test func `a switch between heights, up and down, delivers once and in order: Laws T1, T4`() {
        let heights = [0, 5, 1, 9, 0, 3, 12, 2]
        let among = heights.map(raised)
        let chosen = choice.flatMapLatest { among[$0] }
        var computations = 0
        let checked = combineLatest(chosen, number.map { $0 }, chosen.map { $0 }).map { one, other, third in
            computations += 1
            return [one, other, third]
        }
        let witness = Witness(of: checked, in: graph)
        for (index, turn) in heights.indices.dropFirst().enumerated() {
            graph.commit {
                $0[choice] = turn
                $0[number] = index + 2
            }
            graph.checkInvariants()
            #expect(witness.values.last == Array(repeating: index + 2, count: 3))
            #expect(computations == index + 2)
        }
    }

    @Test func `a switch of a switch, each at another height: Laws T1, T4`() {
        let among = [0, 7, 3].map(raised)
        let inner = number.flatMapLatest { among[$0 % 3] }
        let outer = choice.flatMapLatest { value in
            value == 0 ? number : inner.flatMapLatest { [number] in number.map { $0 }.prepend($0) }
        }
        let witness = Witness(of: combineLatest(outer, number, raised(4)).map { [$0, $1, $2] }, in: graph)
        for value in 2..<20 {
            graph.commit {
                $0[choice] = value % 2
                $0[number] = value
            }
            graph.checkInvariants()
        }
        #expect(witness.values == (1..<20).map { [$0, $0, $0] })
        witness.cancel()
        #expect(graph.activeCount == 0)
    }

    @Test(arguments: [0, 1, 2, 6], [true, false])
    func `a source joined in the turn in which it changes delivers its new value once: Laws T4, T3, O4`(
        _ height: Int, _ isLatest: Bool
    ) {
        var computations = 0
        let shared = raised(height).map { value in
            computations += 1
            return value
        }
        let beside = Witness(of: shared, in: graph)
        let chosen = isLatest ? choice.flatMapLatest { _ in shared } : choice.filter { $0 == 1 }.flatMap { _ in shared }
        let witness = Witness(of: chosen, in: graph)
        computations = 0
        witness.clear()
        graph.commit {
            $0[choice] = 1
            $0[number] = 2
        }
        #expect(witness.values == [2])
        #expect(beside.values == [1, 2])
        #expect(computations == 1)
        graph.checkInvariants()
    }

    @Test func `a source that is raised while it is joined delivers after it has settled: Laws T4, T3`() {
        // Two switches change in one turn; one joins the other while the other is raised.
        let high = raised(8)
        let first = choice.flatMapLatest { [number] in $0 == 0 ? number : high }
        let second = choice.flatMapLatest { [number] in $0 == 0 ? number.map { -$0 } : first }
        let third = choice.map { $0 }.flatMapLatest { [number] in
            $0 == 0 ? number.map { -$0 } : combineLatest(second, first).map(+)
        }
        let witnesses = [third, second, first].map { Witness(of: $0, in: graph) }
        graph.commit {
            $0[choice] = 1
            $0[number] = 2
        }
        graph.checkInvariants()
        graph.commit { $0[number] = 3 }
        #expect(witnesses.map(\.values) == [[-1, 4, 6], [-1, 2, 3], [1, 2, 3]])
        graph.checkInvariants()
    }

    @Test(arguments: [0, 1, 4])
    func `a source that one listener leaves and another joins in the same turn stays active: Laws T4, O2, T1`(
        _ height: Int
    ) {
        var starts = 0, stops = 0, computations = 0
        let shared = raised(height).handleEvents(
            start: { starts += 1 }, value: { _ in computations += 1 }, stop: { stops += 1 }
        ).scan(0, +)
        let one = choice.flatMapLatest { $0 == 0 ? shared : .just(-1) }
        let other = combineLatest(choice, raised(height + 3)).map(\.0).removeDuplicates().flatMapLatest {
            $0 == 1 ? shared : .just(-2)
        }
        let witnesses = [one, other].map { Witness(of: $0, in: graph) }
        graph.commit {
            $0[choice] = 1
            $0[number] = 2
        }
        #expect(starts == 1 && stops == 0 && computations == 2)
        #expect(witnesses.map(\.values) == [[1, -1], [-2, 3]])
        graph.commit { $0[number] = 3 }
        #expect(witnesses[1].values == [-2, 3, 6])
        graph.commit { $0[choice] = 2 }
        #expect(starts == 1 && stops == 1)
        graph.checkInvariants()
    }

    @Test func `a source without listeners stops after the turn, before observers are notified: Laws T4, T8`() {
        var log: [String] = []
        let left = number.handleEvents(start: { log.append("start") }, stop: { log.append("stop") })
        let witness = Witness(of: choice.flatMapLatest { $0 == 0 ? left : .just(0) }, in: graph) {
            log.append("told \($0)")
        }
        let before = graph.activeCount
        graph.commit { $0[choice] = 1 }
        #expect(log == ["start", "told 1", "stop", "told 0"])
        #expect(graph.activeCount < before)
        #expect(witness.values == [1, 0])
    }

    @Test func `a failure and a restart within the turn keep the order: Laws T4, O5`() {
        let failing = raised(2).map { value in
            guard value % 2 == 1 else { throw Broken() }
            return value
        }
        let recovered = failing.catch { [number] _ in combineLatest(number, raised(6)).map(\.0) }
        let witness = Witness(of: combineLatest(recovered, number).map { [$0, $1] }, in: graph)
        graph.commit { $0[number] = 2 }
        graph.commit { $0[number] = 3 }
        #expect(witness.values == [[1, 1], [2, 2], [3, 3]])
        graph.checkInvariants()
    }

    @Test
    func `a node that fails before its new source delivers receives nothing and retains nothing: Laws T4, O8, T8`() {
        let high = raised(5)
        let beside = Witness(of: high, in: graph)
        // In one turn the first value subscribes to a source that has not settled, and the second fails.
        let failing = choice.dropFirst().flatMap { _ in .from([1, 2]) }.flatMap { value in
            guard value == 1 else { throw Broken() }
            return high
        }
        let witness = Witness(of: failing, in: graph)
        graph.commit {
            $0[choice] = 1
            $0[number] = 2
        }
        graph.checkInvariants()
        #expect(witness.values == [] && witness.ends == ["failed: Broken"])
        beside.cancel()
        #expect(graph.activeCount == 0)
    }

    @Test func `a restarted node has the lowest possible height: Laws T4, O6`() {
        let high = raised(9)
        let chosen = choice.flatMapLatest { [number] in $0 == 0 ? number : high }.map { $0 }
        Witness(of: chosen, in: graph).cancel()
        graph.commit { $0[choice] = 1 }
        let up = Witness(of: chosen, in: graph)
        #expect(chosen.height == 10)
        up.cancel()
        graph.commit { $0[choice] = 0 }
        let down = Witness(of: chosen, in: graph)
        #expect(chosen.height == 1)
        #expect(down.values == up.values)
    }

    @Test func `a node that restarts an observable at its end runs after the other listeners end: Laws O1, O6, T4`() {
        let twice = number.prefix(2)
        let again = Witness(of: twice.append(twice), in: graph)
        let others = Witness(of: twice.map { $0 }, in: graph)
        graph.commit { $0[number] = 2 }
        #expect(others.values == [1, 2] && others.ends == ["completed"])
        #expect(again.values == [1, 2, 2])
        graph.commit { $0[number] = 3 }
        #expect(again.values == [1, 2, 2, 3] && again.ends == ["completed"])
        #expect(graph.activeCount == 0)
    }

    @Test func `an end within a turn keeps the order of the other nodes: Laws T4, T1`() {
        let ending = raised(5).prefix(2)
        let witness = Witness(of: combineLatest(ending, number).map { [$0, $1] }, in: graph)
        for value in 2..<5 { graph.commit { $0[number] = value } }
        #expect(witness.values == [[1, 1], [2, 2], [2, 3], [2, 4]])
        graph.checkInvariants()
    }

    @Test func `many listeners join a source in a turn in which it changes: Laws T4, O3`() {
        let shared = raised(3)
        var inputs: [Observable<Int>] = [shared]
        for _ in 1..<20 {
            let before = inputs[inputs.count - 1]
            inputs.append(choice.flatMapLatest { $0 == 0 ? .just(0) : $0 % 2 == 1 ? shared : before })
        }
        let witness = Witness(of: combineLatest(inputs), in: graph)
        for turn in 1..<6 {
            graph.commit {
                $0[choice] = turn
                $0[number] = turn * 10
            }
            graph.checkInvariants()
            #expect(witness.values.last == Array(repeating: turn * 10, count: 20))
        }
        #expect(witness.values.count == 6)
    }
}
