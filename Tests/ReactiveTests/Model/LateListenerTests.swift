import Reactive
import Testing

struct LateListenerTests {
    /// An observable of a variable and a subject, and the events that a late observer receives.
    struct Arrival: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let told: [Int]
        let make: @Sendable (Variable<Int>, Subject<Int>) -> Observable<Int>

        init(_ name: String, told: [Int], _ make: @escaping @Sendable (Variable<Int>, Subject<Int>) -> Observable<Int>)
        {
            testDescription = name
            self.told = told
            self.make = make
        }
    }

    static let arrivals = [
        // State.
        Arrival("a variable", told: [3]) { state, _ in state },
        Arrival("derived from a variable", told: [4]) { state, _ in
            state.map { $0 + 1 }.filter { $0 > 0 }.removeDuplicates()
        },
        Arrival("combined variables", told: [6]) { state, _ in combineLatest(state, state.map { $0 }).map(+) },
        Arrival("merged variables", told: [3]) { state, _ in merge(state.map { -$0 }, state) },
        Arrival("a variable merged with events", told: [20]) { state, event in merge(event, state) },
        Arrival("a variable with the latest event", told: [13]) { state, event in state.withLatestFrom(event).map(+) },
        Arrival("a variable of a variable", told: [6]) { state, _ in
            state.flatMapLatest { latest in state.map { $0 + latest } }
        },
        Arrival("all variables of a variable", told: [4]) { state, _ in
            state.prefix(1).flatMap { first in state.map { $0 + first } }
        },
        Arrival("a variable until an event that never comes", told: [3]) { state, _ in
            state.prefix(until: Observable<Int>.never())
        },
        Arrival("a variable after a value", told: [3]) { state, _ in state.prepend(0) },
        Arrival("a variable, replayed", told: [2, 3]) { state, _ in state.share(replay: 2) },
        Arrival("a variable, accumulated", told: [6]) { state, _ in state.scan(0, +) },
        // Events.
        Arrival("a subject", told: []) { _, event in event },
        Arrival("derived from a subject", told: []) { _, event in event.map { $0 + 1 } },
        Arrival("merged events", told: []) { _, event in merge(event, event.map { -$0 }) },
        Arrival("an event combined with a variable", told: []) { state, event in combineLatest(state, event).map(+) },
        Arrival("an event with the latest of a variable", told: []) { state, event in event.withLatestFrom(state).map(+)
        },
        Arrival("the events of a variable", told: []) { state, event in state.flatMapLatest { _ in event } },
        Arrival("a variable of an event", told: []) { state, event in event.flatMapLatest { _ in state } },
        Arrival("all variables of events", told: []) { state, event in event.flatMap { _ in state } },
        Arrival("a subject after a value", told: []) { _, event in event.prepend(0) },
        Arrival("paired events", told: []) { _, event in zip(event, event.map { $0 }).map(\.0) },
        Arrival("events, replayed", told: [10, 20]) { _, event in event.share(replay: 2) },
        Arrival("an event, replayed", told: [20]) { _, event in event.share(replay: 1) },
    ]

    @Test(arguments: arrivals)
    func `a late observer receives state, and no past events: Law O4`(_ arrival: Arrival) {
        let graph = Graph()
        let state = Variable(1), event = Subject<Int>()
        let observable = arrival.make(state, event)
        let first = Witness(of: observable, in: graph)
        graph.commit { $0[state] = 2 }
        event.send(10)
        graph.commit { $0[state] = 3 }
        event.send(20)
        #expect(!first.values.isEmpty, "otherwise there is nothing that a newcomer might be told")
        #expect(Witness(of: observable, in: graph).values == arrival.told)
        #expect(Witness(of: observable.map { $0 }, in: graph).values == arrival.told)
        graph.checkInvariants()
    }

    @Test func `a late listener within the graph receives the same: Law O4`() {
        for arrival in Self.arrivals {
            let graph = Graph()
            let state = Variable(1), event = Subject<Int>()
            let observable = arrival.make(state, event)
            let first = Witness(of: observable.ignoreOutput(), in: graph)
            graph.commit { $0[state] = 2 }
            event.send(10)
            graph.commit { $0[state] = 3 }
            event.send(20)
            #expect(Witness(of: observable, in: graph).values == arrival.told, "\(arrival.testDescription)")
            #expect(Witness(of: observable.map { $0 }, in: graph).values == arrival.told, "\(arrival.testDescription)")
            #expect(first.values == [])
        }
    }

    @Test func `an observer before the first value receives the first value: Law O4`() {
        let graph = Graph()
        let state = Variable(1)
        let even = state.filter { $0 % 2 == 0 }
        let witnesses = (0..<2).map { _ in Witness(of: even, in: graph) }
        graph.commit { $0[state] = 2 }
        #expect(witnesses.map(\.values) == [[2], [2]])
    }

    @Test func `a value of an earlier run is not replayed: Laws O4, O6`() {
        let graph = Graph()
        let state = Variable(1)
        let event = Subject<Int>()
        let replayed = event.share(replay: 3), odd = state.filter { $0 % 2 == 1 }
        let former = (Witness(of: replayed, in: graph), Witness(of: odd, in: graph))
        event.send(1)
        former.0.cancel()
        former.1.cancel()
        graph.commit { $0[state] = 2 }
        #expect(former.0.values == [1] && former.1.values == [1])
        // The first observer begins the new run, the second arrives later in it.
        for observable in [replayed, odd] {
            let witnesses = (0..<2).map { _ in Witness(of: observable, in: graph) }
            #expect(witnesses.map(\.values) == [[], []])
        }
    }
}
