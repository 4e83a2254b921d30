import Reactive
import Testing

/// Two graphs must not mix and turns must not nest; both errors stop the program.
struct ForeignGraphTests {
    @Test func `an observable may be observed in one graph after another: Law T8`() {
        let number = Variable(0)
        for value in 1...2 {
            let graph = Graph()
            let witness = Witness(of: number.map { $0 }, in: graph)
            graph.commit { $0[number] = value }
            #expect(witness.values == [value - 1, value])
        }
    }

    @Test func `an active observable cannot be observed in another graph`() async {
        await #expect(processExitsWith: .failure) {
            let number = Variable(0)
            let graph = Graph(), other = Graph()
            let witnesses = [graph, other].map { Witness(of: number, in: $0) }
            #expect(witnesses.count == 2)
        }
    }

    @Test func `a derivation of an active observable cannot be observed in another graph`() async {
        await #expect(processExitsWith: .failure) {
            let number = Variable(0)
            let graph = Graph(), other = Graph()
            let witnesses = [graph, other].map { Witness(of: number.map { $0 }, in: $0) }
            #expect(witnesses.count == 2)
        }
    }

    @Test func `an active variable cannot be written in another graph`() async {
        await #expect(processExitsWith: .failure) {
            let number = Variable(0)
            let graph = Graph(), other = Graph()
            let witness = Witness(of: number, in: graph)
            other.commit { $0[number] = 1 }
            #expect(witness.values == [0])
        }
    }

    @Test func `a commit within a commit stops the program before it writes`() async {
        await #expect(processExitsWith: .failure) {
            let graph = Graph()
            let number = Variable(0)
            graph.commit { _ in graph.commit { $0[number] = 1 } }
        }
    }

    @Test func `a commit within a turn stops the program`() async {
        await #expect(processExitsWith: .failure) {
            let graph = Graph()
            let number = Variable(0)
            let witness = Witness(of: number, in: graph) { value in graph.commit { $0[number] = value + 1 } }
            #expect(witness.values == [0])
        }
    }
}
