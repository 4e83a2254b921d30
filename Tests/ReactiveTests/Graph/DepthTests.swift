import Reactive
import Testing

/// Chains so deep that a stack could overflow.
struct DepthTests {
    /// Applies a layer to an observable `depth` times.
    enum Layer: CaseIterable, Sendable {
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

    /// The outcome of a run: the last value, the end, and the number of nodes that stay active.
    struct Life: Equatable {
        var value: Int?
        var ends: [String]
        var activeCount: Int
    }

    @Test(arguments: Layer.allCases)
    func `two thousand observables in a row deliver, fail, start and stop on the default stack: Laws T1, T8`(
        _ layer: Layer
    ) {
        // Two thousand or more of any layer; without optimization, the stack does not hold twice as many.
        let depth = layer == .map ? 2_000 : 1_000
        let lives = Stack.run {
            let graph = Graph()
            let number = Variable(0)
            let base: Observable<Int> = number.map { value in
                guard value >= 0 else { throw Broken() }
                return value
            }
            let top = (0..<depth).reduce(base) { below, _ in layer.over(below, number) }
            return [1, 2].map { round in
                let witness = Witness(of: top, in: graph)
                graph.commit { $0[number] = round }
                graph.checkInvariants()
                if round == 1 { witness.cancel() } else { graph.commit { $0[number] = -1 } }
                return Life(value: witness.values.last, ends: witness.ends, activeCount: graph.activeCount)
            }
        }
        #expect(
            lives == [
                Life(value: depth + 1, ends: [], activeCount: 0),
                Life(value: depth + 2, ends: ["failed: Broken"], activeCount: 0),
            ])
    }

    @Test func `a late listener on two thousand observables, and a base that raises them all: Laws T4, O4`() {
        let told = Stack.run {
            let graph = Graph()
            let number = Variable(0)
            let high = (0..<50).reduce(number as Observable<Int>) { below, _ in
                combineLatest(below, number).map { Swift.min($0, $1) }
            }
            let base = number.flatMapLatest { $0 == 0 ? .just(0) : high }
            let top = (0..<1_000).reduce(base) { below, _ in combineLatest(below, number).map { below, _ in below } }
            let early = Witness(of: top, in: graph)
            graph.commit { $0[number] = 1 }
            graph.checkInvariants()
            return [early.values, Witness(of: top.map { $0 }, in: graph).values]
        }
        #expect(told == [[0, 1], [1]])
    }
}
