import Reactive
import Testing

/// One observable for each row of a table.
struct FlatMapEachTests {
    private struct Spoilt: Error {}

    @Test(arguments: 0..<40)
    func `each row has one observable, which receives the changes of the row: Law B7`(seed: UInt64) {
        var dice = Dice(seed: seed)
        let graph = Graph()
        let table = Table<Int, Int>([1: 10])
        var running: Set<Int> = []
        var heard: [Int: Int] = [:]
        let subscription = table.flatMapEach { key, row in
            row.map { (key, $0) }.handleEvents(
                start: { #expect(running.insert(key).inserted) }, stop: { #expect(running.remove(key) != nil) })
        }.watch(in: graph) { key, value in heard[key] = value }
        var model = [1: 10]
        for _ in 0..<60 {
            graph.commit { transaction in
                for _ in 0..<Int.random(in: 0...3, using: &dice) {
                    let key = Int.random(in: 0..<4, using: &dice)
                    let value = Bool.random(using: &dice) ? Int.random(in: 0..<5, using: &dice) : nil
                    transaction[table, key] = value
                    model[key] = value
                }
            }
            graph.checkInvariants()
            #expect(running == Set(model.keys))
            for (key, value) in model { #expect(heard[key] == value) }
        }
        subscription.cancel()
        #expect(running.isEmpty && graph.activeCount == 0)
    }

    @Test func `an inner completion ends only that row, an inner failure ends all: Law B7`() {
        let graph = Graph()
        let table = Table<Int, Int>([1: 1, 2: 2])
        let alarm = Subject<Int>()
        var heard: [Int] = []
        var end: End?
        let subscription = table.flatMapEach { key, _ -> Observable<Int> in
            key == 2 ? alarm.map { _ in throw Spoilt() } : .just(key)
        }.watch(in: graph, receive: { heard.append($0) }, end: { end = $0 })
        graph.commit { $0[table, 1] = 5 }
        graph.commit { $0[table, 1] = nil }
        graph.commit { $0[table, 1] = 1 }
        #expect(heard == [1, 1] && end == nil)
        alarm.send(1)
        guard case .failed(let error) = end else {
            Issue.record("it goes on")
            return
        }
        #expect(error is Spoilt && graph.activeCount == 0)
        subscription.cancel()
    }
}
