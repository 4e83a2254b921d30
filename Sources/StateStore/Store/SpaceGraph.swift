import Reactive

/// The data flow from the variables of a space to its views.
public struct SpaceGraph: Sendable {
    /// The maximum number of nodes.
    public static let nodesLimit = 4_096

    /// The kind of a node.
    public enum Kind: String, Sendable {
        /// A piece of state.
        case variable
        /// A derived observable without a name.
        case `operator`
        /// A view.
        case view
    }

    /// One node.
    public struct Vertex: Sendable {
        /// The identifier in this graph.
        public let id: String
        /// The kind.
        public let kind: Kind
        /// Its name: of a variable and a view that of the contract, of an operator the one it has in Swift.
        public let name: String
    }

    /// A dependency between two nodes.
    public struct Edge: Hashable, Sendable {
        /// The node they come from.
        public let from: String
        /// The node they go to.
        public let to: String
    }

    /// The nodes: each after those that its values come from.
    public private(set) var nodes: [Vertex] = []
    /// The ways between them.
    public private(set) var edges: [Edge] = []
    /// False if nodes were left out because there are more than `nodesLimit`.
    public private(set) var isWhole = true

    /// The graph behind some views of features: they are made to compute while it is looked at, and left as they were.
    init(of views: [String], among sets: [FeatureSet], in graph: Graph) {
        let variables = sets.flatMap(\.all).flatMap { feature in
            zip(feature.blueprint.variables, feature.variables).map { ($0.name, $1) }
        }
        var finder = Finder(variables)
        for (name, stored) in variables {
            add(Vertex(id: finder.id(of: stored), kind: .variable, name: name))
        }
        let found = views.compactMap { name in
            sets.lazy.compactMap { $0.view(name) }.first.map { (name, $0) }
        }
        let subscriptions = found.map { $0.1.hold(in: graph) }
        for (name, view) in found {
            let id = "view/\(name)"
            let source = add(view, &finder)
            add(Vertex(id: id, kind: .view, name: name))
            if let source { edges.append(Edge(from: source, to: id)) }
        }
        for subscription in subscriptions { subscription.cancel() }
    }

    /// The variables that a view comes from, in the order of nodes.
    public func variables(behind view: String) -> [String] {
        var upstream: [String: [String]] = [:]
        for edge in edges { upstream[edge.to, default: []].append(edge.from) }
        var seen: Set<String> = []
        var waiting = ["view/\(view)"]
        while let id = waiting.popLast() {
            if seen.insert(id).inserted { waiting += upstream[id] ?? [] }
        }
        return nodes.filter { $0.kind == .variable && seen.contains($0.id) }.map(\.name)
    }

    private mutating func add(_ node: Vertex) {
        nodes.append(node)
    }

    /// Adds what a node of the reactive graph comes from, then itself; what it is called here, nil where there was no
    /// room.
    private mutating func add(_ object: AnyObject, _ finder: inout Finder) -> String? {
        if let known = finder.known(object) { return known }
        guard let node = object as? Node, finder.visit(upTo: Self.nodesLimit) else {
            isWhole = false
            return nil
        }
        let sources = node.upstream.compactMap { add($0, &finder) }
        let id = finder.id(of: node)
        add(Vertex(id: id, kind: .operator, name: node.operatorName))
        var told: Set<String> = []
        for source in sources where told.insert(source).inserted { edges.append(Edge(from: source, to: id)) }
        return id
    }

    /// The names of what was found.
    private struct Finder {
        private var ids: [ObjectIdentifier: String] = [:]
        private var operators = 0
        private var visited = 0

        init(_ variables: [(String, any PersistentState)]) {
            for (name, stored) in variables { ids[ObjectIdentifier(stored)] = "variable/\(name)" }
        }

        func known(_ object: AnyObject) -> String? { ids[ObjectIdentifier(object)] }

        /// Counts a node that was come to; false where there are too many. On the way down, so that it bounds how deep
        /// it goes too.
        mutating func visit(upTo limit: Int) -> Bool {
            visited += 1
            return visited <= limit
        }

        mutating func id(of object: AnyObject) -> String {
            if let known = known(object) { return known }
            operators += 1
            let id = "operator/\(operators)"
            ids[ObjectIdentifier(object)] = id
            return id
        }
    }
}

extension Store {
    /// Replies with the data flow behind views, and the moment that it describes. `withInstances` adds the instances of
    /// views of the space that are watched.
    public func describe(
        _ views: [String], in name: SpaceName, withInstances: Bool = false,
        _ reply: @escaping (Result<(graph: SpaceGraph, moment: Moment), Refusal>) -> Void
    ) {
        // Asked for as a read is, so that it is durable and settled; what was read is of no further use.
        read([], in: name) { [self] result in
            switch result {
            case .failure(let refusal): reply(.failure(refusal))
            case .success(let reading):
                guard name != .common else {
                    let graph = SpaceGraph(of: views, among: [replica.features], in: context.graph)
                    return reply(.success((graph, reading.moment)))
                }
                use(name) { [self] space in
                    let instances = withInstances ? space.instances.cells.keys.sorted() : []
                    let graph = SpaceGraph(
                        of: views + instances, among: [replica.features, space.features], in: context.graph)
                    reply(.success((graph, reading.moment)))
                }
            }
        }
    }
}
