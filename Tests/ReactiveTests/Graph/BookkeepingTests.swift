import Testing

@testable import Reactive

/// The bookkeeping of a graph in a turn: each entry once, and no entry longer than the turn.
struct BookkeepingTests {
    private let graph = Graph()
    private let number = Variable(1)

    @Test func `a joint with several changed inputs is queued once: Law T1`() {
        var waiting = 0
        let ways = (0..<10).map { way in number.map { $0 + way } }
        let last = number.map { [graph] value in
            waiting = graph.queue.count
            return value
        }
        let witness = Witness(of: combineLatest(ways + [last]).map { $0.reduce(0, +) }, in: graph)
        graph.commit { $0[number] = 2 }
        #expect(waiting == 1)
        #expect(witness.values == [56, 67])
    }

    @Test func `the observers of an observable with several values are queued once: Law T9`() {
        var noted = 0
        let several = number.flatMap { value in .from([value, value, value]) }
        let witness = Witness(of: several, in: graph) { [graph] _ in noted = graph.pendingDeliveries.count }
        graph.commit { $0[number] = 2 }
        #expect(noted == 1)
        #expect(witness.values == [1, 1, 1, 2, 2, 2])
    }

    @Test func `a variable that is written several times is recorded once: Law V2`() {
        graph.commit { transaction in
            for value in 2..<10 { transaction[number] = value }
            #expect(graph.written.count == 1)
        }
        #expect(graph.written.count == 0)
    }

    @Test func `joints leave the queue lowest first, and in order of insertion at one height: Law T1`() {
        var queue = JointQueue()
        var order: [Int] = []
        for (name, height) in [3, 1, 7, 1, 3, 2].enumerated() {
            let joint = Joint { order.append(name) }
            joint.height = height
            queue.append(joint)
        }
        var isFirst = true
        while let joint = queue.next() {
            joint.takeUnretainedValue().run()
            guard isFirst else { continue }
            isFirst = false
            // A late joint, lower than those already removed.
            let late = Joint { order.append(-1) }
            late.height = 1
            queue.append(late)
        }
        #expect(order == [1, 3, -1, 5, 0, 4, 2])
        #expect(queue.count == 0 && queue.highest == 0)
    }
}
