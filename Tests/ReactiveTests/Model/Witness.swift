import Reactive

/// One who watches an observable and writes down what it is told.
final class Witness<Value> {
    /// The values told, in order,
    private(set) var values: [Value] = []
    /// and the ends, of which there should be no more than one.
    private(set) var ends: [String] = []
    private var subscription: Subscription?

    /// Watches from now on; `then` hears of each value after it was written down.
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

    /// Forgets what was told so far.
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
