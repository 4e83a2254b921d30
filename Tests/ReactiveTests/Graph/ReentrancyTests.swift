import Reactive
import Testing

struct ReentrancyTests {
    private let graph = Graph()
    private let number = Variable(0)
    private let event = Subject<Int>()

    @Test func `requests within a turn run after it, in order: Laws T5, T6, S2`() {
        var log: [String] = []
        var late: Witness<Int>?
        let events = Witness(of: event, in: graph) { log.append("event \($0)") }
        let asking = Witness(of: number.dropFirst(), in: graph) { [graph, number, event] value in
            guard value == 1 else { return log.append("number \(value)") }
            event.send(1)
            graph.commitWhenIdle { $0[number] = 2 }
            late = Witness(of: number, in: graph) { log.append("late \($0)") }
            event.send(2)
            graph.commitWhenIdle { $0[number] += 1 }
            log.append("asked")
        }
        let told = Witness(of: number.map { $0 }, in: graph) { log.append("told \($0)") }
        graph.commit { $0[number] = 1 }
        #expect(
            log == [
                "told 0", "asked", "told 1", "event 1", "number 2", "told 2", "late 2", "event 2", "late 3", "number 3",
                "told 3",
            ])
        #expect(
            events.values == [1, 2] && asking.values == [1, 2, 3] && told.values == [0, 1, 2, 3]
                && late?.values == [2, 3])
        graph.checkInvariants()
    }

    @Test func `a request of a postponed turn runs after all earlier requests: Law T5`() {
        var order: [Int] = []
        let witness = Witness(of: event, in: graph) { [event] value in
            order.append(value)
            if value < 10 { for next in 0..<2 { event.send(value * 10 + 10 + next) } }
        }
        event.send(0)
        #expect(order == [0, 10, 11])
        order = []
        event.send(1)
        event.send(2)
        #expect(order == [1, 20, 21, 2, 30, 31])
        #expect(witness.values.count == 9)
    }

    @Test func `a commit postponed within a turn sees the commits before it: Laws T5, V3`() {
        let total = Variable(0)
        let asking = Witness(of: number, in: graph) { [graph] value in
            for _ in 0..<value { graph.commitWhenIdle { $0[total] += 1 } }
        }
        let totals = Witness(of: total, in: graph)
        graph.commit { $0[number] = 3 }
        #expect(totals.values == [0, 1, 2, 3])
        #expect(asking.values == [0, 3])
    }

    @Test func `a queue of turns grows neither the stack nor the order: Law T5`() {
        let count = 100_000
        let asking = Witness(of: number, in: graph) { [graph, number] value in
            if value < count { graph.commitWhenIdle { $0[number] = value + 1 } }
        }
        #expect(asking.values.count == count + 1)
        #expect(asking.values.last == count)
        let events = Witness(of: event, in: graph)
        let sending = Witness(of: number.filter { $0 < 0 }, in: graph) { [event] _ in
            for value in 0..<count { event.send(value) }
        }
        graph.commit { $0[number] = -1 }
        #expect(events.values.elementsEqual(0..<count))
        #expect(sending.values == [-1])
        graph.checkInvariants()
    }

    @Test func `an observer added within a turn is notified after it, once: Law T6`() {
        var late: [Witness<Int>] = []
        let tens = number.map { $0 * 10 }
        let watching = Witness(of: number, in: graph) { [graph, number] value in
            guard value == 1 else { return }
            for observable in [number, tens] { late.append(Witness(of: observable, in: graph)) }
            #expect(late.map(\.values) == [[], []])
        }
        graph.commit { $0[number] = 1 }
        #expect(late.map(\.values) == [[1], [10]])
        graph.commit { $0[number] = 2 }
        #expect(late.map(\.values) == [[1, 2], [10, 20]])
        #expect(watching.values == [0, 1, 2])
    }

    @Test func `an observer that cancels itself when notified receives nothing more: Laws T6, O8`() {
        var told: [Int] = []
        var subscription: Subscription?
        let several = number.flatMap { .from([$0, $0 + 1, $0 + 2]) }
        let beside = Witness(of: several, in: graph)
        subscription = several.watch(in: graph) { value in
            told.append(value)
            if value == 11 { subscription?.cancel() }
        }
        graph.commit { $0[number] = 10 }
        graph.commit { $0[number] = 20 }
        #expect(told == [2, 10, 11])
        #expect(beside.values == [0, 1, 2, 10, 11, 12, 20, 21, 22])
        graph.checkInvariants()
    }

    @Test
    func
        `an observer that releases its own subscription when notified receives nothing more, and all is freed: Laws T6, T8`()
    {
        var told: [Int] = []
        var subscription: Subscription?
        subscription = number.map { $0 }.watch(in: graph) { value in
            told.append(value)
            if value == 1 { subscription = nil }
        }
        #expect(subscription != nil)
        graph.commit { $0[number] = 1 }
        graph.commit { $0[number] = 2 }
        #expect(told == [0, 1])
        #expect(subscription == nil)
        #expect(graph.activeCount == 0)
    }

    @Test(arguments: 0..<4)
    func `an observer that cancels all others when notified is the last: Laws T6, O8`(_ last: Int) {
        var log: [Int] = []
        var witnesses: [Witness<Int>] = []
        for index in 0..<4 {
            // Some observe the same observable, some observe derivations of it.
            witnesses.append(
                Witness(of: index % 2 == 0 ? number : number.map { $0 }, in: graph) { value in
                    guard value == 1 else { return }
                    log.append(index)
                    if log.count == last + 1 {
                        for other in witnesses where other !== witnesses[index] { other.cancel() }
                    }
                })
        }
        graph.commit { $0[number] = 1 }
        #expect(log.count == last + 1)
        log = []
        graph.commit { $0[number] = 2 }
        #expect(witnesses.count { $0.values.last == 2 } == 1)
        graph.checkInvariants()
        for witness in witnesses { witness.cancel() }
        #expect(graph.activeCount == 0)
    }

    @Test func `an observer that cancels another keeps the order of the others: Law T6`() {
        var witnesses: [Witness<Int>] = []
        for index in 0..<5 {
            witnesses.append(
                Witness(of: number, in: graph) { value in
                    if value == 1, index == 2 { for place in [0, 1, 3] { witnesses[place].cancel() } }
                })
        }
        graph.commit { $0[number] = 1 }
        graph.commit { $0[number] = 2 }
        #expect(witnesses.map(\.values) == [[0, 1], [0, 1], [0, 1, 2], [0], [0, 1, 2]])
        witnesses.removeAll()
    }

    @Test func `an observer whose closure holds other subscriptions releases them with itself: Laws T6, T8`() {
        var kept: [Witness<Int>] = []
        for index in 0..<8 {
            let earlier = kept.popLast()
            kept.append(Witness(of: number, in: graph) { _ in withExtendedLifetime((index, earlier)) {} })
        }
        let first = Witness(of: number, in: graph)
        kept.removeAll()
        graph.commit { $0[number] = 1 }
        #expect(first.values == [0, 1])
        graph.checkInvariants()
        first.cancel()
        #expect(graph.activeCount == 0)
    }

    @Test func `subscriptions held by closures that are swept together end during the sweep: Laws T6, T8`() {
        var told: [String] = []
        var inner: Subscription? = number.watch(in: graph) { told.append("inner \($0)") }
        var holder: Subscription? = number.watch(in: graph) { [inner] in
            told.append("holder \($0)")
            withExtendedLifetime(inner) {}
        }
        inner = nil
        let others = (0..<3).map { _ in Witness(of: number, in: graph) }
        holder?.cancel()
        holder = nil
        // The observer that held the inner subscription is still in the array, to be swept with the next one that ends.
        for other in others.dropLast() { other.cancel() }
        told = []
        graph.commit { $0[number] = 1 }
        #expect(told == [])
        #expect(others[2].values == [0, 1])
        graph.checkInvariants()
        #expect(inner == nil && holder == nil)
    }

    @Test func `a subscription held by an observer that ends during a notification ends right after it: Laws T6, T8`() {
        var told: [String] = []
        var inner: Subscription?
        var holder: Subscription?
        let ending = Witness(of: number, in: graph) { if $0 == 1 { holder = nil } }
        inner = number.watch(in: graph) { told.append("inner \($0)") }
        holder = number.watch(in: graph) { [inner] in
            told.append("holder \($0)")
            withExtendedLifetime(inner) {}
        }
        inner = nil
        let others = (0..<6).map { _ in Witness(of: number, in: graph) }
        for value in 1...2 { graph.commit { $0[number] = value } }
        #expect(told == ["inner 0", "holder 0", "inner 1"])
        #expect(others.allSatisfy { $0.values == [0, 1, 2] })
        #expect(ending.values == [0, 1, 2])
        #expect(inner == nil && holder == nil)
    }
}
