/// What a node tells of itself to somebody who describes the graph. Nothing of it is kept for that purpose but a name.
extension Node {
    /// The operator that made this node, by its name in Swift: `map`, `combineLatest`.
    package final var operatorName: String {
        let name = unsafe String(cString: maker)
        return String(name.prefix { $0 != "(" }).filter { $0 != "`" }
    }

    /// The nodes that it listens to just now, in the order in which it began to. While it is not active there are none.
    package final var upstream: [Node] {
        var nodes: [Node] = []
        var walk = sources.walk()
        while let link = unsafe sources.next(of: &walk) {
            unsafe link._withUnsafeGuaranteedRef { link in
                if let origin = link.origin { nodes.append(origin) }
            }
        }
        return nodes
    }
}
