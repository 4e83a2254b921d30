/// The description of a node for a drawing of the graph. The node stores only the operator's name for this purpose.
extension Node: CustomStringConvertible, CustomReflectable {
    /// The operator that made the node, and its latest value if it is observed: `map: 4`.
    public final var description: String {
        guard isActive else { return "\(operatorName), not observed" }
        return latestText.map { "\(operatorName): \($0)" } ?? operatorName
    }

    /// The operator, and the latest value if there is one: the nodes behind it are not walked.
    public final var customMirror: Mirror {
        var children: [(label: String?, value: Any)] = [("operator", operatorName), ("isObserved", isActive)]
        if let latestText { children.append(("latest", latestText)) }
        return Mirror(self, children: children, displayStyle: .class)
    }

    /// The Swift name of the operator that made this node: `map`, `combineLatest`.
    package final var operatorName: String { String(signature.prefix { $0 != "(" }).filter { $0 != "`" } }

    /// The Swift name of the operator with the labels of its parameters: `removeDuplicates(by:)`.
    package final var signature: String { unsafe String(cString: maker) }

    /// The nodes that this node listens to, in the order of subscription. An inactive node has none.
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
