import Reactive

/// The operators of `Reactive` that a view model cannot use, because they remember: what such a view shows would depend
/// on its subscribers.
enum RememberingOperators {
    /// Their names in Swift.
    static let names: Set<String> = [
        "collect", "debounce", "delay", "drop", "dropFirst", "last", "measureInterval", "reduce", "sample", "scan",
        "throttle", "timeout", "withLatestFrom", "zip",
    ]

    /// The maximum number of nodes of a view model that are examined.
    private static let nodesLimit = 10_000

    /// Returns the name of such an operator behind some views; nil if there is none.
    static func name(behind views: [any View]) -> String? {
        let graph = Graph()
        let subscriptions = views.map { $0.hold(in: graph) }
        defer { for subscription in subscriptions { subscription.cancel() } }
        var seen: Set<ObjectIdentifier> = []
        var waiting = views.compactMap { $0 as? Node }
        while let node = waiting.popLast(), seen.count < nodesLimit {
            guard seen.insert(ObjectIdentifier(node)).inserted else { continue }
            if names.contains(node.operatorName) { return node.operatorName }
            waiting += node.upstream
        }
        return nil
    }
}
