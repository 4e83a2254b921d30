import JSON
import Reactive

/// A source of a named operator.
class OperatorInput<Output> {
    /// Follows the source. `isBegun` is true if the operator has taken the values of earlier commits.
    func connect(in graph: Graph, isBegun: Bool, dependsOnCommon: Bool) {}
    /// Stops following the source.
    func disconnect() {}
    /// Takes the values that came since the last step. Returns their number.
    func step(_ moment: inout OperatorMoment<Output>, in graph: Graph) throws -> Int { 0 }
    /// The node of the source.
    var node: Node { preconditionFailure("a subclass has a source") }
    /// Keeps the source active.
    func hold(in graph: Graph) -> Subscription { preconditionFailure("a subclass has a source") }
}

/// A source of values of one type.
///
/// Of state, the operator takes the value after a commit, if it differs from the value taken before. Of events and of
/// what another operator delivers, it takes each.
final class SourceInput<Value: Equatable & JSONWritable, Output>: OperatorInput<Output> {
    private let source: Observable<Value>
    /// The entry with the digest of the value taken last, for a source that depends on `common`: a commit of `common`
    /// may change it while the space is not loaded.
    private let key: String
    private let take: (Value, inout OperatorMoment<Output>) throws -> Void
    private var subscription: Subscription?
    private var kind = SourceKind.state
    private var dependsOnCommon = false
    private var isBegun = false
    /// The values that came since the last step.
    private var arrived: [Value] = []
    /// The present value of state; nil if there is none.
    private var present: Value?
    /// The value of state taken last; nil if it is not known.
    private var taken: Value?
    private var hasFailed = false

    init(
        _ source: Observable<Value>, as key: String,
        _ take: @escaping (Value, inout OperatorMoment<Output>) throws -> Void
    ) {
        self.source = source
        self.key = key
        self.take = take
    }

    override var node: Node { source }

    override func hold(in graph: Graph) -> Subscription { source.watch(in: graph, receive: { _ in }) }

    override func connect(in graph: Graph, isBegun: Bool, dependsOnCommon: Bool) {
        self.isBegun = isBegun
        self.dependsOnCommon = dependsOnCommon
        taken = nil
        subscribe(in: graph)
        var kinds = SourceKinds()
        kind = kinds.kind(of: source)
        guard isBegun else { return }
        // No commit of the space has changed the value since it was taken, unless one of `common` did.
        if kind == .state, !dependsOnCommon { taken = present }
        arrived = []
    }

    private func subscribe(in graph: Graph) {
        let previous = subscription
        hasFailed = false
        present = nil
        subscription = source.watch(
            in: graph,
            receive: { [unowned self] value in
                present = value
                if kind != .state || !isBegun { arrived.append(value) }
            },
            end: { [unowned self] end in
                guard case .failed = end else { return }
                hasFailed = true
                present = nil
            })
        previous?.cancel()
    }

    override func disconnect() {
        subscription?.cancel()
        subscription = nil
        (present, taken, arrived) = (nil, nil, [])
    }

    override func step(_ moment: inout OperatorMoment<Output>, in graph: Graph) throws -> Int {
        if hasFailed { subscribe(in: graph) }
        defer { isBegun = true }
        guard kind == .state else {
            let values = isBegun ? arrived : Array(arrived.suffix(kind == .events ? arrived.count : 1))
            arrived = []
            for value in values { try take(value, &moment) }
            return values.count
        }
        arrived = []
        guard let value = present else {
            // While the source has no value, nothing is taken. The next value is one that the operator did not have.
            taken = nil
            if dependsOnCommon { moment.memory[key] = nil }
            return 0
        }
        guard try isNew(value, moment.memory) else { return 0 }
        taken = value
        if dependsOnCommon { moment.memory[key] = try Self.digest(of: value) }
        try take(value, &moment)
        return 1
    }

    private func isNew(_ value: Value, _ memory: Memory) throws -> Bool {
        guard isBegun else { return true }
        if let taken { return taken != value }
        return dependsOnCommon ? try memory[key] != Self.digest(of: value) : true
    }

    private static func digest(of value: Value) throws(JSONError) -> [UInt8] {
        try Digest(try value.json()).tag.json()
    }
}
