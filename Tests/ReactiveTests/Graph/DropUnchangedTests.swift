import Reactive
import Testing

/// Transactions whose caller asks for their changes before publication.
struct DropUnchangedTests {
    // Law V2
    @Test func `only a changed value counts as written and is delivered`() {
        let graph = Graph()
        let numbers = (0..<4).map { Variable($0) }
        var told: [String] = []
        let subscriptions = numbers.enumerated().map { place, number in
            number.watch(in: graph) { told.append("\(place)=\($0)") }
        }
        told = []
        for (written, changed) in [
            ([9, 1, 2, 3], [0]), ([9, 1, 2, 8], [3]), ([9, 1, 2, 8], []), ([9, 7, 6, 8], [1, 2]),
            ([0, 1, 2, 3], [0, 1, 2, 3]),
        ] {
            let transaction = graph.draft()
            for (number, value) in zip(numbers, written) { transaction[number] = value }
            graph.dropUnchanged()
            #expect(numbers.indices.filter { numbers[$0].isWritten } == changed)
            graph.publish()
            graph.checkInvariants()
            #expect(told == changed.map { "\($0)=\(written[$0])" })
            #expect(numbers.map(\.value) == written)
            told = []
        }
        for subscription in subscriptions { subscription.cancel() }
    }

    // Law V4
    @Test func `a transaction can be discarded after dropUnchanged(), and the next one starts anew`() {
        let graph = Graph()
        let number = Variable(1)
        let other = Variable(1)
        for value in [2, 1] {
            let transaction = graph.draft()
            transaction[number] = value
            transaction[other] = 3 - value
            graph.dropUnchanged()
            graph.discard()
            #expect([number.value, other.value] == [1, 1])
            #expect(!number.isWritten && !other.isWritten)
        }
        var told: [Int] = []
        let subscription = number.watch(in: graph) { told.append($0) }
        // Without dropUnchanged(): an equal value is found when it is applied.
        graph.commit { $0[number] = 1 }
        graph.commit { $0[number] = 5 }
        #expect(told == [1, 5])
        subscription.cancel()
    }

    // Law B3
    @Test func `a table delivers only changed rows after dropUnchanged()`() {
        let graph = Graph()
        let rows = Table<String, Int>(["a": 1, "b": 2])
        var told: [[String]] = []
        let subscription = rows.watch(in: graph) { changes in told.append(changes.entries.map(\.key)) }
        told = []
        let transaction = graph.draft()
        transaction[rows, "a"] = 1
        transaction[rows, "b"] = 3
        graph.dropUnchanged()
        graph.publish()
        #expect(told == [["b"]])
        subscription.cancel()
    }
}
