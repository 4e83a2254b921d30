import Observation
import Reactive
import Testing

@Suite(.timeLimit(.minutes(1))) @MainActor struct ObservedValueTests {
    private struct Broken: Error {}

    @Test func `an observed value follows commits, and tells those who track it`() {
        let (graph, count) = (Graph(), Variable(1))
        let observed = ObservedValue(count.map { $0 * 2 }, in: graph, startingWith: 0)
        #expect(observed.value == 2)
        nonisolated(unsafe) var changes = 0
        withObservationTracking({ _ = observed.value }, onChange: { changes += 1 })
        graph.commit { $0[count] = 4 }
        #expect(observed.value == 8 && changes == 1)
    }

    @Test func `a failure is told`() {
        let graph = Graph()
        let observed = ObservedValue(Observable<Int>.failed(Broken()), in: graph, startingWith: 7)
        #expect(observed.value == 7 && observed.error is Broken)
    }

    @Test func `an observation ends with its object`() {
        let (graph, count) = (Graph(), Variable(1))
        var observed: ObservedValue<Int>? = ObservedValue(count, in: graph, startingWith: 0)
        #expect(observed?.value == 1 && count.isObserved)
        observed = nil
        #expect(!count.isObserved)
    }

    @Test func `an observable follows @Observable objects, several changes at once`() async throws {
        let (graph, cart) = (Graph(), Cart())
        var totals = Observable.observing { cart.price * cart.quantity }.values(in: graph).makeAsyncIterator()
        #expect(try await totals.next() == 2)
        cart.price = 3
        cart.quantity = 5
        #expect(try await totals.next() == 15)
        cart.quantity = 6
        #expect(try await totals.next() == 18)
    }

    @Test func `a value goes there and back`() async throws {
        let (graph, count) = (Graph(), Variable(1))
        let observed = ObservedValue(count, in: graph, startingWith: 0)
        var back = Observable.observing { observed.value + 1 }.values(in: graph).makeAsyncIterator()
        #expect(try await back.next() == 2)
        graph.commit { $0[count] = 5 }
        #expect(try await back.next() == 6)
    }
}

/// An object of an app.
@MainActor private final class Cart: Observation.Observable {
    private let registrar = ObservationRegistrar()
    private var storedPrice = 1
    private var storedQuantity = 2

    // The macro @Observable writes these; tests build without its plugin.
    nonisolated init() {}

    var price: Int {
        get {
            registrar.access(self, keyPath: \.price)
            return storedPrice
        }
        set { registrar.withMutation(of: self, keyPath: \.price) { storedPrice = newValue } }
    }

    var quantity: Int {
        get {
            registrar.access(self, keyPath: \.quantity)
            return storedQuantity
        }
        set { registrar.withMutation(of: self, keyPath: \.quantity) { storedQuantity = newValue } }
    }
}

extension Variable {
    /// True if an observer is there.
    fileprivate var isObserved: Bool { !description.contains("not observed") }
}
