import Reactive

/// The tables whose rows are in memory only, as sources of views.
package enum UnkeptSources {
    /// The maximum number of nodes of a view that are examined.
    private static let nodesLimit = 10_000

    /// Returns true if a view derives from such a table.
    package static func areBehind(_ view: any View, in graph: Graph = Graph()) -> Bool {
        let subscription = view.hold(in: graph)
        defer { subscription.cancel() }
        var seen: Set<ObjectIdentifier> = []
        var waiting = [view as? Node].compactMap(\.self)
        while let node = waiting.popLast(), seen.count < nodesLimit {
            guard seen.insert(ObjectIdentifier(node)).inserted else { continue }
            if let state = node as? any PersistentState, !state.isKept { return true }
            waiting += node.upstream
        }
        return false
    }
}
