import Reactive
import Testing

struct ObservableTests {
    private let graph = Graph()
    private let number = Variable(1)

    @Test(arguments: [Graph.JointOrder.byHeight, .onArrival])
    func `no event follows the end, whatever the source emits: Law O1`(_ order: Graph.JointOrder) {
        let graph = Graph(order: order)
        let talkative = Observable<Int> { output in
            output.emit(1)
            output.finish(.completed)
            output.emit(2)
            output.finish(.failed(Broken()))
        }
        for observable in [
            talkative, talkative.map { $0 }, merge(talkative, talkative.map { $0 }), talkative.append(talkative),
        ] {
            let witness = Witness(of: observable, in: graph)
            #expect(Set(witness.values) == [1])
            #expect(witness.ends == ["completed"])
            graph.checkInvariants()
        }
        #expect(graph.activeCount == 0)
    }

    @Test func `an observable runs from the first listener to the last: Law O2`() {
        var log: [String] = []
        let watched = number.handleEvents(start: { log.append("start") }, stop: { log.append("stop") })
        let derived = watched.map { $0 + 1 }, other = watched.filter { $0 > 0 }
        graph.commit { $0[number] = 2 }
        #expect(log == [])
        let witnesses = [derived, other, watched].map { Witness(of: $0, in: graph) }
        #expect(log == ["start"])
        witnesses[0].cancel()
        witnesses[2].cancel()
        graph.commit { $0[number] = 3 }
        #expect(log == ["start"])
        #expect(witnesses[1].values == [2, 3])
        witnesses[1].cancel()
        #expect(log == ["start", "stop"])
        let again = Witness(of: derived, in: graph)
        #expect(log == ["start", "stop", "start"])
        #expect(again.values == [4])
    }

    @Test func `an observable computes once for any number of listeners: Law O3`() {
        var computations = 0
        let shared = number.map { value in
            computations += 1
            return value * 10
        }
        let derived = (0..<3).map { offset in shared.map { $0 + offset } }
        let watching = (derived + [shared, shared]).map { Witness(of: $0, in: graph) }
        graph.commit { $0[number] = 2 }
        #expect(computations == 2)
        #expect(watching.map(\.values) == [[10, 20], [11, 21], [12, 22], [10, 20], [10, 20]])
    }

    @Test func `an observable computes nothing without observers: Laws O2, T7`() {
        var computations = 0
        let derived = number.map { value in
            computations += 1
            return value
        }
        graph.commit { $0[number] = 2 }
        Witness(of: derived, in: graph).cancel()
        graph.commit { $0[number] = 3 }
        #expect(computations == 1)
    }

    @Test func `undo runs once, even if the end comes during the start: Laws O2, T8`() {
        var undone = 0
        let hasty = Observable<Int> { output in
            output.finish(.completed)
            output.undo = { undone += 1 }
        }
        #expect(Witness(of: hasty, in: graph).ends == ["completed"])
        #expect(undone == 1)
    }

    @Test func `an observable restarts after its end: Law O6`() {
        let event = Subject<Int>()
        let sums = event.scan(0, +).prefix(2)
        for _ in 0..<2 {
            let witness = Witness(of: sums, in: graph)
            for value in [1, 2, 3] { event.send(value) }
            #expect(witness.values == [1, 3])
            #expect(witness.ends == ["completed"])
        }
    }

    @Test func `an observable restarts after a failure: Law O6`() {
        let inverse = number.map { value in
            guard value != 0 else { throw Broken() }
            return 10 / value
        }
        let broken = Witness(of: inverse, in: graph)
        graph.commit { $0[number] = 0 }
        graph.commit { $0[number] = 2 }
        let mended = Witness(of: inverse, in: graph)
        #expect(broken.values == [10] && broken.ends == ["failed: Broken"])
        #expect(mended.values == [5] && mended.ends == [])
        graph.checkInvariants()
    }

    @Test
    func `an observer added in the turn of the end restarts the observable and does not receive that end: Laws O6, T6`()
    {
        let event = Subject<Int>()
        let first = event.prefix(1)
        var late: Witness<Int>?
        let early = Witness(of: first, in: graph) { [graph] _ in late = Witness(of: first, in: graph) }
        event.send(1)
        #expect(late?.ends == [])
        event.send(2)
        #expect(early.values == [1] && early.ends == ["completed"])
        #expect(late?.values == [2] && late?.ends == ["completed"])
    }
}
