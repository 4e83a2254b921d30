import Reactive
import Testing

struct FailureTests {
    private let graph = Graph()
    private let number = Variable(1)

    private func fails(at limit: Int) -> Observable<Int> {
        number.map { value in
            guard value < limit else { throw Broken() }
            return value
        }
    }

    @Test func `a closure that throws fails only its own observable: Law O5`() {
        let before = Witness(of: number.map { $0 }, in: graph)
        let failing = Witness(of: fails(at: 2), in: graph)
        let after = Witness(of: number.map { $0 }, in: graph)
        graph.commit { $0[number] = 2 }
        graph.commit { $0[number] = 3 }
        #expect(failing.values == [1] && failing.ends == ["failed: Broken"])
        for sibling in [before, after] { #expect(sibling.values == [1, 2, 3] && sibling.ends == []) }
        graph.checkInvariants()
    }

    @Test
    func `a derivation of a failed observable fails with the same error and leaves its other sources: Laws O5, T8`() {
        let other = Variable(1)
        let derived: [Observable<Int>] = [
            fails(at: 2).map { $0 }, combineLatest(fails(at: 2), other).map(\.0), merge(other, fails(at: 2)),
            zip(other, fails(at: 2)).map(\.0), other.withLatestFrom(fails(at: 2)).map(\.0),
            other.flatMap { _ in fails(at: 2) },
            other.flatMapLatest { _ in fails(at: 2) }, other.concatMap { _ in fails(at: 2) }, fails(at: 2).append(1),
            race(fails(at: 2), other),
        ]
        let witnesses = derived.map { Witness(of: $0, in: graph) }
        graph.commit { $0[number] = 2 }
        for (index, witness) in witnesses.enumerated() {
            #expect(witness.ends == ["failed: Broken"], "number \(index)")
        }
        #expect(graph.activeCount == 0)
    }

    @Test func `values delivered in the turn of a failure arrive before it: Laws O5, O1`() {
        let several = number.flatMap { value in .from([value, value * 10, 0]) }.map { value in
            guard value > 0 else { throw Broken() }
            return value
        }
        let witness = Witness(of: several, in: graph)
        #expect(witness.values == [1, 10])
        #expect(witness.ends == ["failed: Broken"])
    }

    @Test func `closures that create observables fail like others: Law O5`() {
        let failing: [Observable<Int>] = [
            number.flatMap { _ in throw Broken() }, number.flatMapLatest { _ in throw Broken() },
            number.concatMap { _ in throw Broken() },
            .deferred { throw Broken() }, number.scan(0) { _, _ in throw Broken() },
            number.filter { _ in throw Broken() },
            Observable.failed(Broken()).catch { _ in throw Broken() },
            number.removeDuplicates { _, _ in throw Broken() }.map { $0 },
        ]
        let witnesses = failing.map { Witness(of: $0, in: graph) }
        graph.commit { $0[number] = 2 }
        for (index, witness) in witnesses.enumerated() {
            #expect(witness.ends == ["failed: Broken"], "number \(index)")
        }
        #expect(graph.activeCount == 0)
        graph.checkInvariants()
    }

    @Test func `all observers receive the failure: Law O5`() {
        let failing = fails(at: 2)
        let witnesses = (0..<3).map { _ in Witness(of: failing, in: graph) }
        graph.commit { $0[number] = 2 }
        for witness in witnesses { #expect(witness.values == [1] && witness.ends == ["failed: Broken"]) }
    }

    @Test func `an observer may observe again after the end: Laws O6, T6`() {
        let failing = fails(at: 2)
        var again: Witness<Int>?
        let subscription = failing.watch(
            in: graph, receive: { _ in },
            end: { [graph, number] _ in
                graph.commitWhenIdle { $0[number] = 0 }
                again = Witness(of: failing, in: graph)
            })
        graph.commit { $0[number] = 2 }
        #expect(again?.values == [0] && again?.ends == [])
        graph.checkInvariants()
        withExtendedLifetime(subscription) {}
    }
}
