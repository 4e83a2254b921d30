import Reactive
import Testing

struct OnArrivalTests {
    private let graph = Graph(order: .onArrival)
    private let one = Variable(1)
    private let other = Variable(10)

    @Test func `a joint processes each arrival at once: Law T10`() {
        let sum = Witness(of: combineLatest(one, other).map(+), in: graph)
        graph.commit {
            $0[one] = 2
            $0[other] = 20
        }
        #expect(sum.values == [11, 12, 22])
        graph.checkInvariants()
    }

    @Test func `a diamond delivers once per path, as in ReactiveX: Law T10`() {
        let diamond = Witness(of: combineLatest(one, one.map { -$0 }).map { [$0, $1] }, in: graph)
        graph.commit { $0[one] = 2 }
        #expect(diamond.values == [[1, -1], [2, -1], [2, -2]])
    }

    @Test func `merged values keep the order of delivery: Law T10`() {
        let merged = Witness(of: merge(one, other, one.map { $0 * 100 }), in: graph)
        graph.commit {
            $0[other] = 20
            $0[one] = 2
        }
        #expect(merged.values == [1, 10, 100, 20, 2, 200])
    }

    @Test func `every value of a turn passes every joint: Law T10`() {
        let several = one.flatMap { value in .from([value, value * 10]) }
        let combined = Witness(of: combineLatest(several, other).map { [$0, $1] }, in: graph)
        graph.commit { $0[one] = 2 }
        #expect(combined.values == [[10, 10], [2, 10], [20, 10]])
    }

    @Test func `flatMapLatest switches at each of several values of a turn: Law T10`() {
        let latest = Witness(
            of: one.flatMap { .from([$0, $0 * 10]) }.flatMapLatest { value in .from([value, -value]) }, in: graph)
        #expect(latest.values == [1, -1, 10, -10])
    }

    @Test func `a listener added during a delivery receives the value once: Laws T10, O4`() {
        let latest = Witness(of: one.flatMapLatest { [one] _ in one }, in: graph)
        let all = Witness(of: one.flatMap { [one] _ in one }, in: graph)
        graph.commit { $0[one] = 2 }
        graph.commit { $0[one] = 3 }
        #expect(latest.values == [1, 2, 3])
        // One more path with each value.
        #expect(all.values == [1, 2, 2, 3, 3, 3])
        graph.checkInvariants()
    }

    @Test func `a value that arrives at a joint while it runs is processed in that turn: Laws T10, O5`() {
        let event = Subject<Int>()
        let failing: [Observable<Int>] = [
            event.flatMap { _ in .failed(Broken()) }, event.flatMapLatest { _ in .failed(Broken()) },
            event.concatMap { _ in .failed(Broken()) },
        ]
        let witnesses = failing.map { Witness(of: $0, in: graph) }
        event.send(1)
        for (index, witness) in witnesses.enumerated() {
            #expect(witness.ends == ["failed: Broken"], "number \(index)")
        }
        #expect(graph.activeCount == 0)
    }

    @Test func `observers are notified at the end of the turn, and their requests run after it: Laws T10, T5`() {
        var log: [String] = []
        let sums = combineLatest(one, other).map { one, other in
            log.append("computed")
            return one + other
        }
        let asking = Witness(of: sums, in: graph) { [graph, one] sum in
            log.append("told \(sum)")
            if sum == 22 { graph.commitWhenIdle { $0[one] = 3 } }
        }
        log = []
        graph.commit {
            $0[one] = 2
            $0[other] = 20
        }
        #expect(log == ["computed", "computed", "told 12", "told 22", "computed", "told 23"])
        #expect(asking.values == [11, 12, 22, 23])
    }

    @Test func `a listener that has enough ends an endless source: Laws T10, O8`() {
        let numbers = Observable<Int>.from(sequence(first: 1) { $0 + 1 })
        let ways: [Observable<Int>] = [
            numbers.prefix(3), merge(numbers, .never()).prefix(3),
            Observable.just(0).flatMap { _ in numbers }.prefix(3),
            numbers.append(0).prefix(3), race(numbers, .never()).prefix(3),
        ]
        for (index, way) in ways.enumerated() {
            let witness = Witness(of: way, in: graph)
            #expect(witness.values == [1, 2, 3] && witness.ends == ["completed"], "number \(index)")
        }
        #expect(graph.activeCount == 0)
    }

    @Test func `a following observable starts at once, before other events of that instant: Law T11`() {
        let followed = Observable.just(1).append(.just(2)).append(.just(3))
        #expect(Witness(of: merge(followed, .just(4)), in: graph).values == [1, 2, 3, 4])
        graph.checkInvariants()
    }

    @Test func `an observable that fails during a delivery restarts after it: Law T11`() {
        var runs = 0
        let failing = Observable.from([1, 2, 3]).flatMap { value in
            if value == 2 {
                runs += 1
                if runs < 3 { throw Broken() }
            }
            return Observable.just(value)
        }
        let retried = Witness(of: failing.retry(5), in: graph)
        #expect(retried.values == [1, 1, 1, 2, 3])
        #expect(runs == 3)
        graph.checkInvariants()
    }
}
