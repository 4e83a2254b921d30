import Reactive
import Testing

/// Operator closures that change the graph during propagation. The documentation advises against it; the laws hold
/// nevertheless.
struct MidTurnTests {
    private let graph = Graph()
    private let number = Variable(0)
    private let other = Variable(0)

    /// The phase of a turn in which a closure is called: as sources deliver, or as joints run.
    enum Place: CaseIterable {
        case line
        case joint
    }

    private func source(_ place: Place) -> Observable<Int> {
        place == .line ? number.map { $0 } : combineLatest(number, other).map(\.0)
    }

    @Test(arguments: Place.allCases)
    func `a closure that cancels its own observers: Laws T6, O8, T8`(_ place: Place) {
        var witness: Witness<Int>?
        let beside = Witness(of: source(place), in: graph)
        let derived = source(place).map { value in
            if value == 1 { witness?.cancel() }
            return value
        }
        witness = Witness(of: combineLatest(derived.map { $0 }, number).map(\.0), in: graph)
        graph.commit { $0[number] = 1 }
        graph.checkInvariants()
        graph.commit { $0[number] = 2 }
        #expect(witness?.values == [0])
        #expect(beside.values == [0, 1, 2])
        beside.cancel()
        #expect(graph.activeCount == 0)
    }

    @Test(arguments: Place.allCases)
    func `a closure that releases all subscriptions: Laws T6, T8`(_ place: Place) {
        var witnesses: [Witness<Int>] = []
        let shared = source(place).map { value in
            if value == 1 { witnesses.removeAll() }
            return value
        }
        for _ in 0..<3 { witnesses.append(Witness(of: shared.map { $0 }, in: graph)) }
        witnesses.append(Witness(of: number, in: graph))
        witnesses.append(Witness(of: combineLatest(shared, other).map(\.0), in: graph))
        graph.commit {
            $0[number] = 1
            $0[other] = 1
        }
        #expect(witnesses.isEmpty)
        #expect(graph.activeCount == 0)
        graph.checkInvariants()
        let again = Witness(of: shared, in: graph)
        #expect(again.values == [] && graph.activeCount == 0 || again.values == [1])
    }

    @Test(arguments: Place.allCases)
    func `a closure that subscribes, commits and sends: Laws T5, T6`(_ place: Place) {
        var late: Witness<Int>?
        let event = Subject<Int>()
        let events = Witness(of: event, in: graph)
        let derived = source(place).handleEvents(value: { [graph, number, event] value in
            guard value == 1 else { return }
            event.send(value)
            late = Witness(of: number, in: graph)
            graph.commitWhenIdle { $0[number] += 1 }
            #expect(late?.values == [] && events.values == [])
        })
        let witness = Witness(of: derived, in: graph)
        graph.commit { $0[number] = 1 }
        #expect(witness.values == [0, 1, 2])
        #expect(late?.values == [1, 2])
        #expect(events.values == [1])
        graph.checkInvariants()
    }

    @Test func `an observer added to an observable during its computation is notified once: Law T6`() {
        var late: Witness<Int>?
        var derived: Observable<Int>?
        derived = number.map { [graph] value in
            if value == 1, late == nil, let derived { late = Witness(of: derived, in: graph) }
            return value
        }
        let witness = derived.map { Witness(of: $0, in: graph) }
        graph.commit { $0[number] = 1 }
        #expect(witness?.values == [0, 1])
        #expect(late?.values == [1])
        derived = nil
        late = nil
    }

    @Test func `a variable that loses its observers before its turn in the commit: Laws T6, T7`() {
        var witness: Witness<Int>?
        let cancelling = Witness(of: number.handleEvents(value: { if $0 == 1 { witness?.cancel() } }), in: graph)
        var computations = 0
        let derived = other.map { value in
            computations += 1
            return value
        }
        witness = Witness(of: derived, in: graph)
        graph.commit {
            $0[number] = 1
            $0[other] = 1
        }
        #expect(computations == 1)
        #expect(witness?.values == [0])
        #expect(Witness(of: derived, in: graph).values == [1])
        #expect(cancelling.values == [0, 1])
    }

    @Test(arguments: [true, false])
    func `an observer of a node that is stopping: Laws O2, O6, T6`(_ isWithinTurn: Bool) {
        var log: [String] = []
        var again: Witness<Int>?
        var watched: Observable<Int>?
        watched = combineLatest(number, other).map(\.0).handleEvents(
            start: { log.append("start") },
            stop: { [graph] in
                log.append("stop")
                if again == nil, let watched { again = Witness(of: watched, in: graph) }
            })
        let witness = watched.map { Witness(of: $0, in: graph) }
        let canceller = Witness(of: number, in: graph) { if $0 == 1 { witness?.cancel() } }
        if isWithinTurn { graph.commit { $0[number] = 1 } } else { witness?.cancel() }
        graph.commit { $0[other] = 1 }
        graph.commit { $0[number] = 5 }
        #expect(log == ["start", "stop", "start"])
        #expect(again?.values.last == 5)
        #expect(canceller.values.last == 5)
        graph.checkInvariants()
        again?.cancel()
        canceller.cancel()
        #expect(log == ["start", "stop", "start", "stop"])
        #expect(graph.activeCount == 0)
        watched = nil
    }

    @Test(arguments: Place.allCases)
    func `a value computed after the cancellation is not delivered in the next run either: Laws O4, O6`(_ place: Place)
    {
        var witness: Witness<Int>?
        let even = source(place).filter { value in
            if value == 2 { witness?.cancel() }
            return value % 2 == 0
        }
        witness = Witness(of: even, in: graph)
        graph.commit { $0[number] = 2 }
        graph.commit { $0[number] = 3 }
        let next = (0..<2).map { _ in Witness(of: even, in: graph) }
        #expect(witness?.values == [0])
        #expect(next.map(\.values) == [[], []])
    }

    @Test func `a commit requested when a node stops or starts: Law T5`() {
        let stopped = number.handleEvents(
            start: { [graph, other] in graph.commitWhenIdle { $0[other] += 1 } },
            stop: { [graph, other] in graph.commitWhenIdle { $0[other] += 10 } })
        let others = Witness(of: other, in: graph)
        let witness = Witness(of: stopped, in: graph)
        witness.cancel()
        #expect(others.values == [0, 1, 11])
        graph.checkInvariants()
    }
}
