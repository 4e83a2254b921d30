import Reactive
import Testing

struct SubscriptionTests {
    /// The end of a subscription.
    enum SpaceDeletionHandler: CaseIterable {
        case cancelled
        case cancelledTwice
        case released
    }

    private static func end(_ subscription: inout Subscription?, _ farewell: SpaceDeletionHandler) {
        switch farewell {
        case .cancelled: subscription?.cancel()
        case .cancelledTwice:
            subscription?.cancel()
            subscription?.cancel()
        case .released: subscription = nil
        }
    }

    @Test(arguments: SpaceDeletionHandler.allCases)
    func `no event follows the cancellation: Laws O8, T8`(_ farewell: SpaceDeletionHandler) {
        let graph = Graph()
        let number = Variable(1)
        var told: [Int] = []
        var subscription: Subscription? = number.watch(in: graph) { told.append($0) }
        let other = Witness(of: number, in: graph)
        Self.end(&subscription, farewell)
        graph.commit { $0[number] = 2 }
        #expect(told == [1])
        #expect(other.values == [1, 2])
        graph.checkInvariants()
        other.cancel()
        #expect(graph.activeCount == 0)
    }

    @Test(arguments: SpaceDeletionHandler.allCases)
    func `a cancellation within a turn takes effect at once, for pending values and ends: Laws O8, T6`(
        _ farewell: SpaceDeletionHandler
    ) {
        let graph = Graph()
        let number = Variable(1)
        var told: [Int] = []
        var ends = 0
        var subscription: Subscription?
        let ending = Witness(of: number, in: graph) { if $0 == 2 { Self.end(&subscription, farewell) } }
        subscription = number.map { $0 * 10 }.prefix(2).watch(
            in: graph, receive: { told.append($0) }, end: { _ in ends += 1 })
        graph.commit { $0[number] = 2 }
        #expect(ending.values == [1, 2])
        #expect(told == [10])
        #expect(ends == 0)
        graph.checkInvariants()
    }

    @Test(arguments: SpaceDeletionHandler.allCases)
    func `a subscription cancelled in the turn of its request delivers nothing: Laws O8, T6`(
        _ farewell: SpaceDeletionHandler
    ) {
        let graph = Graph()
        let number = Variable(1)
        var told: [Int] = []
        var starts = 0
        let derived = number.handleEvents(start: { starts += 1 })
        let asking = Witness(of: number, in: graph) { _ in
            var subscription: Subscription? = derived.watch(in: graph) { told.append($0) }
            Self.end(&subscription, farewell)
        }
        graph.commit { $0[number] = 2 }
        #expect(asking.values == [1, 2])
        #expect(told == [] && starts == 0)
    }

    @Test func `a cancellation after the end does nothing: Law O8`() {
        let graph = Graph()
        let witness = Witness(of: Observable.just(1), in: graph)
        witness.cancel()
        #expect(witness.values == [1] && witness.ends == ["completed"])
        #expect(graph.activeCount == 0)
    }

    @Test func `a subscription retains its graph: Law T8`() {
        var graph: Graph? = Graph()
        let subject = Subject<Int>()
        var told: [Int] = []
        let kept = Kept(graph)
        var subscription = graph.map { subject.watch(in: $0) { told.append($0) } }
        graph = nil
        subject.send(1)
        #expect(told == [1])
        #expect(kept.graph?.activeCount == 1)
        withExtendedLifetime(subscription) {}
        subscription = nil
        subject.send(2)
        #expect(told == [1])
        #expect(kept.graph == nil)
    }

    /// A weak reference to a graph.
    private struct Kept {
        weak var graph: Graph?
        init(_ graph: Graph?) { self.graph = graph }
    }
}
