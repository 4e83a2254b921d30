public import Observation

/// The latest value of an observable as a property that SwiftUI and other users of Observation follow.
///
///     let count = ObservedValue(counter.count, in: graph, startingWith: 0)
///     Text("\(count.value)")
///
/// One commit changes all observed values within one turn of the graph, so a screen that shows several of them is drawn
/// once. The observation ends when the object is released.
public final class ObservedValue<Value>: Observation.Observable {
    private let registrar = ObservationRegistrar()
    private var latest: Value
    private var failure: (any Error)?
    private var subscription: Subscription?

    /// Observes `source` in a graph; `value` is the one until the first arrives.
    public init(_ source: Observable<Value>, in graph: Graph, startingWith value: Value) {
        latest = value
        subscription = source.watch(
            in: graph,
            receive: { [unowned self] value in
                registrar.withMutation(of: self, keyPath: \.value) { latest = value }
            },
            end: { [unowned self] end in
                guard case .failed(let error) = end else { return }
                registrar.withMutation(of: self, keyPath: \.error) { failure = error }
            })
    }

    /// The latest value.
    public var value: Value {
        registrar.access(self, keyPath: \.value)
        return latest
    }

    /// The failure with which the observable has ended; nil if it has not failed.
    public var error: (any Error)? {
        registrar.access(self, keyPath: \.error)
        return failure
    }
}

extension Observable {
    /// The values of an expression over `@Observable` objects: the present one, and one after each change of a property
    /// that the expression has read. Several changes in one go make one value.
    ///
    /// Precondition: the graph and the objects belong to the current isolation.
    ///
    ///     let total = Observable.observing { cart.price * cart.quantity }
    public static func observing(
        isolation: isolated any Actor = #isolation, _ read: @escaping () -> Value
    ) -> Observable<Value> {
        let isolation: any Actor = isolation
        return .source { emitter in
            let tracking = ObservationTracking(read, emitter, isolation)
            tracking.track()
            return { tracking.end() }
        }
    }
}

/// The tracking of an expression, renewed after each change.
private final class ObservationTracking<Value> {
    private let read: () -> Value
    private let emitter: Emitter<Value>
    private let isolation: any Actor
    private var isOpen = true

    init(_ read: @escaping () -> Value, _ emitter: Emitter<Value>, _ isolation: any Actor) {
        (self.read, self.emitter, self.isolation) = (read, emitter, isolation)
    }

    func end() { isOpen = false }

    /// Delivers the value, and waits for the next change. Observation tells of a change before it is made, on the thread
    /// that makes it.
    func track() {
        let (reference, isolation) = (Reference(tracking: self), isolation)
        let value = withObservationTracking(read) {
            Task { await Self.retrack(reference, in: isolation) }
        }
        emitter.send(value)
    }

    private struct Reference: @unchecked Sendable {
        // Sendable because it is used in the isolation of the tracking only.
        weak var tracking: ObservationTracking?
    }

    private static func retrack(_ reference: Reference, in isolation: isolated any Actor) {
        guard let tracking = reference.tracking, tracking.isOpen else { return }
        tracking.track()
    }
}
