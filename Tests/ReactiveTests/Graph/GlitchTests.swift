import Reactive
import Testing

struct GlitchTests {
    @Test func `a diamond delivers once in a commit`() {
        let graph = Graph()
        let number = Variable(1)
        let sum = combineLatest(number.map { $0 * 10 }, number.map { $0 + 1 }).map { $0 + $1 }
        var told: [Int] = []
        let subscription = sum.watch(in: graph) { told.append($0) }
        graph.commit { $0[number] = 2 }
        #expect(told == [12, 23])
        graph.checkInvariants()
        subscription.cancel()
        #expect(graph.activeCount == 0)
    }
}
