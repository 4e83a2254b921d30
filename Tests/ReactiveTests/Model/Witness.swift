import Reactive

/// An observer that records its events.
final class Witness<Value> {
    /// The received values, in order.
    private(set) var values: [Value] = []
    /// The received ends, of which there is at most one.
    private(set) var ends: [String] = []
    private var subscription: Subscription?

    /// Observes from now on; calls `then` with each value after recording it.
    init(of observable: Observable<Value>, in graph: Graph, then: @escaping (Value) -> Void = { _ in }) {
        subscription = observable.watch(
            in: graph,
            receive: { [unowned self] in
                values.append($0)
                then($0)
            },
            end: { [unowned self] in ends.append(Self.word(for: $0)) })
    }

    func cancel() {
        subscription?.cancel()
    }

    /// Forgets the recorded events.
    func clear() {
        values = []
    }

    private static func word(for end: End) -> String {
        switch end {
        case .completed: "completed"
        case .failed(let error): "failed: \(type(of: error))"
        }
    }
}
