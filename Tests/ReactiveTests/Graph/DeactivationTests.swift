import Reactive
import Testing

/// A graph after its last observer has left.
struct DeactivationTests {
    /// An observable of a variable, a subject and a clock.
    struct Making: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (Variable<Int>, Subject<Int>, VirtualScheduler) -> Observable<Int>

        init(
            _ name: String,
            _ make: @escaping @Sendable (Variable<Int>, Subject<Int>, VirtualScheduler) -> Observable<Int>
        ) {
            testDescription = name
            self.make = make
        }
    }

    static let makings = [
        Making("variable") { state, _, _ in state },
        Making("subject") { _, event, _ in event },
        Making("interval") { _, _, clock in .interval(.seconds(1), on: clock) },
        Making("timer, pending") { _, _, clock in .timer(.seconds(1_000), on: clock) },
        Making("timer, gone") { _, _, clock in .timer(.seconds(1), on: clock) },
        Making("deferred") { state, _, _ in .deferred { state } },
        Making("just") { _, _, _ in .just(1) },
        Making("map, filter, scan") { state, _, _ in state.map { $0 }.filter { $0 > 0 }.scan(0, +) },
        Making("combineLatest") { state, event, _ in combineLatest(state, event, state.map { $0 }).map(\.0) },
        Making("merge") { state, event, _ in merge(state, event, .just(1)) },
        Making("zip, with values waiting") { state, event, _ in zip(state, event).map(\.0) },
        Making("race, decided") { state, event, _ in race(event, state, event.map { $0 }) },
        Making("race, undecided") { _, event, clock in race(event.filter { $0 < 0 }, .timer(.seconds(1_000), on: clock))
        },
        Making("append, prepend") { state, _, _ in state.prefix(1).append(state.prefix(2)).append(state).prepend(0) },
        Making("flatMap") { state, event, clock in state.flatMap { $0 == 1 ? event : .interval(.seconds(1), on: clock) }
        },
        Making("flatMap of itself") { state, _, _ in state.flatMap { first in state.map { $0 + first } } },
        Making("flatMapLatest") { state, event, clock in
            state.flatMapLatest { $0 == 1 ? event : .interval(.seconds(1), on: clock) }
        },
        Making("flatMapLatest of flatMapLatest") { state, event, _ in
            state.flatMapLatest { _ in state.flatMapLatest { _ in event } }
        },
        Making("concatMap, with values waiting") { state, event, _ in state.concatMap { _ in event } },
        Making("withLatestFrom") { state, event, _ in state.withLatestFrom(event).map(\.0) },
        Making("sample") { state, event, _ in state.sample(event) },
        Making("prefix until") { state, event, _ in state.prefix(until: event.filter { $0 < 0 }) },
        Making("prefix until, over") { state, event, _ in state.prefix(until: event) },
        Making("skip until") { state, event, _ in state.skip(until: event) },
        Making("retry, waiting") { _, _, clock in Observable.failed(Broken()).retry(after: [.seconds(1_000)], on: clock)
        },
        Making("retry, over") { _, _, clock in
            Observable.failed(Broken()).retry(after: [.seconds(1), .zero], on: clock)
        },
        Making("catch") { state, event, _ in state.map { _ in throw Broken() }.catch { _ in event } },
        Making("share") { state, event, _ in merge(state, event).share(replay: 2) },
        Making("handleEvents") { state, _, _ in state.handleEvents() },
        Making("materialize") { state, _, _ in state.prefix(2).materialize().dematerialize() },
        Making("delay, waiting") { state, _, clock in state.delay(.seconds(1_000), on: clock) },
        Making("delay") { state, _, clock in state.delay(.seconds(1), on: clock) },
        Making("debounce, waiting") { state, _, clock in state.debounce(.seconds(1_000), on: clock) },
        Making("throttle, waiting") { state, event, clock in
            merge(state, event).throttle(.seconds(1_000), on: clock, latest: true)
        },
        Making("timeout, pending") { state, _, clock in state.timeout(.seconds(1_000), on: clock) },
        Making("timeout, over") { state, _, clock in state.timeout(.seconds(1), on: clock) },
        Making("collect every") { state, _, clock in state.collect(every: .seconds(1), on: clock).map(\.count) },
        Making("receive on") { state, _, clock in state.receive(on: clock) },
        Making("failing") { state, _, _ in state.map { if $0 == 3 { throw Broken() } else { $0 } } },
        Making("empty, never, failed") { _, _, _ in merge(.empty(), .never(), .failed(Broken())) },
    ]

    /// A weak reference to an object.
    private struct Kept {
        weak var object: AnyObject?
    }

    @Test(arguments: makings, [Graph.JointOrder.byHeight, .onArrival])
    func `no node is active, and nothing is retained: Laws T8, C4`(_ making: Making, _ order: Graph.JointOrder) {
        let clock = VirtualScheduler()
        var kept: [Kept] = []
        do {
            let graph = Graph(order: order)
            let state = Variable(1), event = Subject<Int>()
            let observable = making.make(state, event, clock)
            kept = [Kept(object: graph), Kept(object: state), Kept(object: event), Kept(object: observable)]
            // Twice, so that the graph is left during activity and in a second run too, and with a derivation.
            for _ in 0..<2 {
                let witness = Witness(of: observable, in: graph),
                    beside = Witness(of: combineLatest(observable, state).map(\.0), in: graph)
                for value in [2, 3] {
                    graph.commit { $0[state] = value }
                    event.send(value)
                    clock.advance(by: .seconds(2))
                    graph.checkInvariants()
                }
                beside.cancel()
                event.send(4)
                graph.checkInvariants()
                witness.cancel()
                #expect(graph.activeCount == 0)
                #expect(clock.count == 0)
                graph.checkInvariants()
            }
        }
        #expect(kept.count { $0.object != nil } == 0)
    }

    @Test func `an observable without observers is freed while others go on: Law T8`() {
        let graph = Graph()
        let state = Variable(1)
        let others = (0..<9).map { _ in Witness(of: state, in: graph) },
            deriving = (0..<9).map { _ in Witness(of: state.map { $0 }, in: graph) }
        var derived: Observable<Int>? = state.map { $0 + 1 }
        let kept = Kept(object: derived)
        let witness = derived.map { Witness(of: $0, in: graph) }
        derived = nil
        #expect(kept.object != nil)
        witness?.cancel()
        #expect(kept.object == nil)
        #expect(others.count == deriving.count)
    }

    @Test func `the objects held by an observer's closures are freed with the subscription, and at the end: Law T8`() {
        let graph = Graph()
        let event = Subject<Int>()
        var held: [Witness<Int>?] = [Witness(of: event, in: graph), Witness(of: event, in: graph)]
        let kept = held.map { Kept(object: $0) }
        var subscription: Subscription? = event.watch(in: graph) { [one = held[0]] in withExtendedLifetime((one, $0)) {}
        }
        var other: Subscription? = event.watch(in: graph) { [one = held[1]] in withExtendedLifetime((one, $0)) {} }
        held = []
        #expect(kept.allSatisfy { $0.object != nil })
        subscription = nil
        event.send(.completed)
        other = nil
        #expect(kept.allSatisfy { $0.object == nil })
        #expect(subscription == nil && other == nil)
        #expect(graph.activeCount == 0)
    }

    @Test(arguments: [true, false])
    func
        `the objects held by an observer's closures are freed on cancellation, even if the subscription is retained: Law T8`(
            _ isWithinTurn: Bool
        )
    {
        let graph = Graph()
        let state = Variable(1)
        let others = (0..<9).map { _ in Witness(of: state, in: graph) }
        var held: Variable<Int>? = Variable(0)
        let kept = Kept(object: held)
        var subscription: Subscription?
        subscription = state.watch(in: graph) { [held] value in
            if value == 2 { subscription?.cancel() }
            withExtendedLifetime(held) {}
        }
        held = nil
        if !isWithinTurn { subscription?.cancel() }
        graph.commit { $0[state] = 2 }
        #expect(kept.object == nil)
        #expect(subscription != nil && others.count == 9)
        subscription = nil
    }
}
