import Reactive
import Testing

/// Chains so deep that a stack could run out.
@MainActor
struct DepthTests {
    /// What is put upon another, `depth` times over.
    enum Layer: CaseIterable {
        case map
        case joint
        case merge
        case choice
        case gate

        func over(_ below: Observable<Int>, _ base: Variable<Int>) -> Observable<Int> {
            switch self {
            case .map: below.map { $0 + 1 }
            case .joint: combineLatest(below, base).map { below, _ in below + 1 }
            case .merge: Reactive.merge(below, .never()).map { $0 + 1 }
            case .choice: below.flatMapLatest { .just($0 + 1) }
            case .gate: below.withLatestFrom(base).map { below, _ in below + 1 }
            }
        }
    }

    @Test(arguments: Layer.allCases)
    func `two thousand observables in a row deliver, fail, start and stop on the stack there is: Laws T1, T8`(_ layer: Layer) {
        // Two thousand observables or more, whatever the layer is made of; without optimization a stack does not hold twice as many.
        let depth = layer == .map ? 2_000 : 1_000
        let graph = Graph()
        let number = Variable(0)
        let base: Observable<Int> = number.map { value in
            guard value >= 0 else { throw Broken() }
            return value
        }
        let top = (0..<depth).reduce(base) { below, _ in layer.over(below, number) }
        for round in 1...2 {
            let witness = Witness(of: top, in: graph)
            graph.commit { $0[number] = round }
            #expect(witness.values.last == depth + round)
            graph.checkInvariants()
            if round == 1 { witness.cancel() } else { graph.commit { $0[number] = -1 } }
            #expect(witness.ends == (round == 1 ? [] : ["failed: Broken"]))
            #expect(graph.activeCount == 0)
        }
    }

    @Test func `a newcomer at the top of two thousand observables, and a base that raises them all: Laws T4, O4`() {
        let depth = 1_000
        let graph = Graph()
        let number = Variable(0)
        let high = (0..<50).reduce(number as Observable<Int>) { below, _ in combineLatest(below, number).map { Swift.min($0, $1) } }
        let base = number.flatMapLatest { $0 == 0 ? .just(0) : high }
        let top = (0..<depth).reduce(base) { below, _ in combineLatest(below, number).map { below, _ in below } }
        let early = Witness(of: top, in: graph)
        graph.commit { $0[number] = 1 }
        #expect(early.values == [0, 1])
        #expect(Witness(of: top.map { $0 }, in: graph).values == [1])
        graph.checkInvariants()
    }
}
