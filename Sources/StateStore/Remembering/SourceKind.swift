import Reactive

/// The way in which the values of an observable follow from the commits of its space.
enum SourceKind: Equatable {
    /// Its value follows from the present state.
    case state
    /// Its values are what a named operator delivers, one after the other. The last one is state.
    case delivered
    /// Its values are events of commits: it has no value between them.
    case events
    /// Its value depends on earlier states, and no memory keeps them. The text names the operator.
    case unkept(String)
}

/// Finds the kinds of observables from the operators that made them. The nodes must be active.
struct SourceKinds {
    /// The operators whose values follow from the present values of their sources.
    private static let stateless: Set<String> = [
        "combineLatest", "deferred", "empty", "failed", "flatMapLatest", "fold", "from", "group", "ignoreOutput",
        "index", "just", "never", "row", "rows", "search", "table", "variable",
    ]
    /// The operators that deliver one value for each value.
    private static let transforming: Set<String> = ["handleEvents", "map"]
    /// The operators that deliver some of the values.
    private static let selecting: Set<String> = ["compactMap", "filter"]
    /// The maximum number of nodes that are examined, and the maximum number in a row.
    private static let (nodesLimit, depthLimit) = (10_000, 500)

    private var known: [ObjectIdentifier: SourceKind] = [:]
    private var depth = 0

    /// Returns the kind of an active observable.
    mutating func kind(of node: Node) -> SourceKind {
        if let kind = known[ObjectIdentifier(node)] { return kind }
        guard known.count < Self.nodesLimit, depth < Self.depthLimit else { return .unkept("too many operators") }
        depth += 1
        defer { depth -= 1 }
        var sources: [SourceKind] = []
        for source in node.upstream { sources.append(self.kind(of: source)) }
        let kind = Self.kind(of: node, from: sources)
        known[ObjectIdentifier(node)] = kind
        return kind
    }

    private static func kind(of node: Node, from sources: [SourceKind]) -> SourceKind {
        for case .unkept(let name) in sources { return .unkept(name) }
        let name = node.operatorName
        if name == "\(NamedOperators.maker)" { return .delivered }
        if name == "\(CommitSource.maker)" { return .events }
        let hasEvents = sources.contains(.events)
        if node.isOfRows || stateless.contains(name) { return hasEvents ? .unkept(name) : .state }
        if transforming.contains(name) { return sources.first ?? .state }
        if selecting.contains(name) { return sources.first == .events ? .events : .unkept(name) }
        switch node.signature {
        case "removeDuplicates()" where !hasEvents: return .state
        case "merge(_:)" where !sources.isEmpty && sources.allSatisfy { $0 == .events }: return .events
        default: return .unkept(name)
        }
    }
}
