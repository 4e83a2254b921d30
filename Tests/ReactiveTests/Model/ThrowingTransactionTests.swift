import Reactive
import Testing

struct ThrowingTransactionTests {
    private let graph = Graph()
    private let one = Variable(1)
    private let other = Variable<Int?>(nil)

    private func breakOff() throws {
        try graph.commit { transaction in
            transaction[one] = 2
            transaction[other] = 2
            throw Broken()
        }
    }

    @Test func `the error is rethrown, and no observer sees the transaction: Law V4`() {
        let witness = Witness(of: combineLatest(one, other).map { "\($0) \($1 ?? 0)" }, in: graph)
        #expect(throws: Broken()) { try breakOff() }
        #expect(witness.values == ["1 0"])
        graph.checkInvariants()
    }

    @Test func `the next transaction reads the old values: Law V4`() {
        #expect(throws: Broken()) { try breakOff() }
        graph.commit { #expect($0[one] == 1 && $0[other] == nil) }
    }

    @Test func `the next commit contains no write of the failed one: Law V4`() {
        let ones = Witness(of: one, in: graph), others = Witness(of: other, in: graph)
        #expect(throws: Broken()) { try breakOff() }
        graph.commit { $0[one] = 3 }
        #expect(ones.values == [1, 3])
        #expect(others.values == [nil])
    }

    @Test func `the next commit may write the discarded value and delivers it: Law V4`() {
        let ones = Witness(of: one, in: graph)
        #expect(throws: Broken()) { try breakOff() }
        graph.commit { $0[one] = 2 }
        #expect(ones.values == [1, 2])
    }

    @Test func `late observers receive the old values: Law V4`() {
        #expect(throws: Broken()) { try breakOff() }
        #expect(Witness(of: one, in: graph).values == [1])
    }

    @Test func `a commit requested within the failed one runs after it, without its writes: Laws V4, T5`() {
        let event = Subject<Int>()
        let pulse = Witness(of: event, in: graph) { [graph, one] _ in graph.commitWhenIdle { $0[one] += 10 } }
        let ones = Witness(of: one, in: graph), others = Witness(of: other, in: graph)
        #expect(throws: Broken()) {
            try graph.commit { transaction in
                transaction[one] = 2
                transaction[other] = 2
                event.send(0)
                graph.commitWhenIdle { $0[one] += 100 }
                #expect(transaction[one] == 2)
                throw Broken()
            }
        }
        #expect(pulse.values == [0])
        #expect(ones.values == [1, 101, 111])
        #expect(others.values == [nil])
        graph.checkInvariants()
    }

    @Test func `a commit with a typed error throws that type: Law V4`() {
        func commit() throws(Broken) {
            try graph.commit { (_: inout Transaction) throws(Broken) in throw Broken() }
        }
        #expect(throws: Broken()) { try commit() }
    }
}
