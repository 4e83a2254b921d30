import Reactive
import Testing

struct TurnTests {
    private let graph = Graph()
    private let one = Variable(1)
    private let other = Variable(-1)

    @Test func `a node with many paths to it computes once, after all its sources: Law T1`() {
        var computations: [String: Int] = [:]
        func counted(_ name: String, _ observable: Observable<Int>) -> Observable<Int> {
            observable.map { value in
                computations[name, default: 0] += 1
                return value
            }
        }
        // Each level depends on the two before it, so there are many paths to the top, of every length.
        var levels: [Observable<Int>] = [one, counted("level 0", one)]
        for level in 1..<12 {
            levels.append(counted("level \(level)", combineLatest(levels[level], levels[level - 1]).map(+)))
        }
        let witness = Witness(of: levels[12], in: graph)
        graph.commit { $0[one] = 2 }
        #expect(witness.values == [233, 466])
        #expect(computations.count == 12)
        for (name, count) in computations { #expect(count == 2, "\(name)") }
        graph.checkInvariants()
    }

    @Test func `observers are notified after all computation: Law T2`() {
        var log: [String] = []
        let low = one.map { $0 }
        let high = combineLatest(combineLatest(low, other).map(+), one).map { sum, value in
            log.append("computed")
            return sum + value
        }
        // The lower observable is observed before and after the higher one.
        let witnesses = [one, high, low, other].map { Witness(of: $0, in: graph) { _ in log.append("told") } }
        log = []
        graph.commit {
            $0[one] = 2
            $0[other] = -2
        }
        #expect(log == ["computed", "told", "told", "told", "told"])
        #expect(witnesses[1].values == [1, 2])
    }

    @Test func `a notified observer finds all other observables settled: Law T2`() {
        // The values that each observer finds when it is notified: the accumulated values at different heights.
        var accumulated: [Int: Int] = [:]
        var found: [[Int: Int]] = []
        var level: Observable<Int> = one
        var witnesses = [Witness(of: one, in: graph) { _ in found.append(accumulated) }]
        for height in 0..<5 {
            level = combineLatest(level, one).map { lower, value in
                accumulated[height] = value
                return lower + value
            }
            witnesses.append(Witness(of: level, in: graph) { _ in found.append(accumulated) })
        }
        found = []
        graph.commit { $0[one] = 7 }
        #expect(found == Array(repeating: [0: 7, 1: 7, 2: 7, 3: 7, 4: 7], count: 6))
        #expect(witnesses.count == 6)
    }

    @Test func `no value is computed from a state between two commits: Law T3`() {
        // Every commit keeps the sum of the two at 0.
        let sums: [Observable<Int>] = [
            combineLatest(one, other).map(+), one.withLatestFrom(other).map(+), other.withLatestFrom(one).map(+),
            zip(one, other).map(+),
            one.flatMapLatest { [other] value in other.map { $0 + value } },
            other.flatMapLatest { [one] value in one.map { $0 + value } },
            combineLatest(one.map { $0 }.flatMapLatest { value in .just(value) }, other.map { $0 }).map(+),
            combineLatest(merge(one, one), merge(other, other)).map(+),
            combineLatest([one, other, one, other]).map { $0.reduce(0, +) },
            merge(one, other).sample(merge(one, other)).withLatestFrom(combineLatest(one, other)).map(\.1).map(+),
        ]
        let witnesses = sums.map { Witness(of: $0, in: graph) }
        for value in 2..<20 {
            graph.commit {
                // The two variables are written first in turn.
                if value % 2 == 0 { $0[one] = value }
                $0[other] = -value
                $0[one] = value
            }
            graph.checkInvariants()
        }
        for (index, witness) in witnesses.enumerated() {
            #expect(witness.values == Array(repeating: 0, count: 19), "number \(index)")
        }
    }

    @Test func `the observers receive each of several values of one turn, in order: Law T9`() {
        let several = one.flatMap { value in .from([value, value * 10, value * 100]) }
        let early = Witness(of: several, in: graph), beside = Witness(of: several.map { -$0 }, in: graph)
        graph.commit { $0[one] = 2 }
        #expect(early.values == [1, 10, 100, 2, 20, 200])
        #expect(beside.values == [-100, -2, -20, -200])
    }

    @Test func `several observers of one observable are notified value by value: Law T9`() {
        let several = one.flatMap { value in .from([value, value * 10]) }
        var log: [Int] = []
        let witnesses = (0..<2).map { _ in Witness(of: several, in: graph) { log.append($0) } }
        log = []
        graph.commit { $0[one] = 2 }
        #expect(log == [2, 2, 20, 20])
        #expect(witnesses.map(\.values) == [[1, 10, 2, 20], [10, 2, 20]])
    }

    @Test(arguments: [true, false])
    func `the order is that of the arguments, not of the writes: Law T9`(_ isFirstWrittenFirst: Bool) {
        let merged = Witness(of: merge(one, other, one.map { $0 * 10 }), in: graph)
        graph.commit {
            if isFirstWrittenFirst { $0[one] = 2 }
            $0[other] = 0
            $0[one] = 2
        }
        #expect(merged.values == [1, -1, 10, 2, 0, 20])
    }

    @Test func `a combining operator uses the last of several values: Law T9`() {
        let several = one.flatMap { value in .from([value, value * 10]) }
        let combined = Witness(of: combineLatest(several, one).map { [$0, $1] }, in: graph)
        let merged = Witness(of: combineLatest(merge(one, other), merge(other, one)).map { [$0, $1] }, in: graph)
        graph.commit {
            $0[one] = 2
            $0[other] = 3
        }
        #expect(combined.values == [[10, 1], [20, 2]])
        #expect(merged.values == [[-1, 1], [3, 2]])
    }

    @Test func `a turn computes only the dependants of changes: Law T7`() {
        var computed: [String] = []
        func noted(_ name: String, _ observable: Observable<Int>) -> Observable<Int> {
            observable.map { value in
                computed.append(name)
                return value
            }
        }
        let ones = noted("one", one), others = noted("other", other)
        let parity = noted("parity", ones.map { $0 % 2 }.removeDuplicates())
        let unwatched = noted("unwatched", ones)
        let witnesses = [noted("sum", combineLatest(parity, others).map(+)), ones].map { Witness(of: $0, in: graph) }
        computed = []
        graph.commit { $0[one] = 3 }
        #expect(computed == ["one"])
        computed = []
        graph.commit { $0[other] = 5 }
        #expect(computed == ["other", "sum"])
        #expect(witnesses.count == 2 && unwatched !== ones)
    }
}
