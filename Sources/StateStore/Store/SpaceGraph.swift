import Reactive

/// The data flow from the variables of a space to its views.
package struct SpaceGraph: Sendable {
    /// The maximum number of nodes.
    package static let nodesLimit = 4_096

    /// The kind of a node.
    package enum GraphPartKind: String, Sendable {
        /// A variable or a table.
        case variable
        /// A derived observable without a name.
        case `operator`
        /// A view.
        case view
    }

    /// One node.
    package struct Vertex: Sendable {
        /// The identifier in this graph.
        package let id: String
        /// The kind.
        package let kind: GraphPartKind
        /// The name: for variables and views the one in the contract, for operators the one in Swift.
        package let name: String
        /// The key of the row that the node delivers; nil for a node that delivers no single row.
        package var rowKey: String?
    }

    /// A dependency between two nodes.
    package struct Edge: Hashable, Sendable {
        /// The node that the values come from.
        package let from: String
        /// The node that receives the values.
        package let to: String
    }

    /// The nodes in topological order: sources first.
    package private(set) var nodes: [Vertex] = []
    /// The dependencies between the nodes.
    package private(set) var edges: [Edge] = []
    /// False if nodes were left out because there are more than `nodesLimit`.
    package private(set) var isWhole = true

    /// The graph behind views of features. The views are subscribed while the graph is read, and released afterwards.
    init(of views: [ViewKey], among sets: [FeatureSet], in graph: Graph) {
        let variables = sets.flatMap(\.all).flatMap { feature in
            zip(feature.blueprint.variables, feature.variables).map { ($0.name, $1) }
        }
        let rememberers = sets.flatMap { $0.hasMemory || $0.hasOperators ? $0.rememberers : [] }
        var held: [Subscription] = []
        defer { for subscription in held { subscription.cancel() } }
        var finder = Finder(variables) { node in
            // Values that were remembered come from the sources of their operator.
            for rememberer in rememberers {
                guard let found = rememberer.sources(of: node, in: graph) else { continue }
                held += found.subscriptions
                return found.nodes
            }
            return []
        }
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
            add(Vertex(id: id, kind: .view, name: "\(name)"))
            if let source { edges.append(Edge(from: source, to: id)) }
        }
        for subscription in subscriptions { subscription.cancel() }
    }

    /// Returns the graph without the variables and views of some features, and without what only leads from these to
    /// views of others.
    package func without(_ isHidden: (_ feature: String) -> Bool) -> SpaceGraph {
        var hidden: Set<String> = []
        for node in nodes where node.kind != .operator {
            if isHidden(String(node.name.prefix { $0 != "." })) { hidden.insert(node.id) }
        }
        if hidden.isEmpty { return self }
        var sources: [String: [String]] = [:]
        for edge in edges { sources[edge.to, default: []].append(edge.from) }
        // Sources come first.
        for node in nodes where node.kind == .operator {
            if sources[node.id]?.contains(where: hidden.contains) ?? false { hidden.insert(node.id) }
        }
        var graph = self
        graph.nodes.removeAll { hidden.contains($0.id) }
        graph.edges.removeAll { hidden.contains($0.from) || hidden.contains($0.to) }
        return graph
    }

    /// A variable, or the entry of one, that a view derives from.
    package struct Origin: Hashable, Sendable {
        /// The name of the variable.
        package let variable: String
        /// The key of the entry; nil if the view derives from the whole variable.
        package let entry: String?
    }

    /// The maximum number of entries of one variable that are named. A view of more derives from the whole variable.
    static let entriesLimit = 100

    /// Returns true if the graph has a view.
    package func has(_ view: ViewKey) -> Bool { nodes.contains { $0.id == "view/\(view)" } }

    /// Returns the variables, or their entries, that the view of a permit derives from; nil if the graph does not have it.
    package func origins(behindViewOf permit: ReadPermit) -> [Origin]? {
        permit.sources.first.flatMap { has($0) ? origins(behind: $0) : nil }
    }

    /// Returns the variables that a view derives from, in the order of `nodes`.
    package func variables(behind view: ViewKey) -> [String] {
        origins(behind: view).map(\.variable).reduce(into: []) { names, name in
            if names.last != name { names.append(name) }
        }
    }

    /// Returns the variables that a view derives from, in the order of `nodes`, or their entries if the view reads only
    /// single rows.
    package func origins(behind view: ViewKey) -> [Origin] {
        var upstream: [String: [String]] = [:]
        for edge in edges { upstream[edge.to, default: []].append(edge.from) }
        let kinds = Dictionary(nodes.map { ($0.id, $0) }) { first, _ in first }
        var entries: [String: [String]] = [:]
        var wholes: Set<String> = []
        var seen: Set<String> = []
        var waiting = ["view/\(view)"]
        while let id = waiting.popLast() {
            guard seen.insert(id).inserted, let node = kinds[id] else { continue }
            let sources = upstream[id] ?? []
            // The distributor of the rows lies between a row and its table. Rows that are derived have other keys.
            let tables = node.rowKey == nil ? [] : sources.flatMap { upstream[$0] ?? [] }
            if let key = node.rowKey, !tables.isEmpty, tables.allSatisfy({ kinds[$0]?.kind == .variable }) {
                for table in tables where entries[table]?.contains(key) != true {
                    entries[table, default: []].append(key)
                }
                continue
            }
            if node.kind == .variable { wholes.insert(id) }
            waiting += sources
        }
        return nodes.filter { $0.kind == .variable }.flatMap { node -> [Origin] in
            if wholes.contains(node.id) { return [Origin(variable: node.name, entry: nil)] }
            guard let keys = entries[node.id] else { return [] }
            guard keys.count <= Self.entriesLimit else { return [Origin(variable: node.name, entry: nil)] }
            return keys.sorted().map { Origin(variable: node.name, entry: $0) }
        }
    }

    private mutating func add(_ node: Vertex) {
        nodes.append(node)
    }

    /// Adds the sources of a node of the reactive graph, then the node. Returns its identifier, or nil if the limit is
    /// reached.
    private mutating func add(_ object: AnyObject, _ finder: inout Finder) -> String? {
        if let known = finder.known(object) { return known }
        guard let node = object as? Node, finder.visit(upTo: Self.nodesLimit) else {
            isWhole = false
            return nil
        }
        let upstream = node.upstream
        let sources = (upstream.isEmpty ? finder.remembered(node) : upstream).compactMap { add($0, &finder) }
        let id = finder.id(of: node)
        add(Vertex(id: id, kind: .operator, name: node.operatorName, rowKey: (node as? any KeyedNode)?.rowKey))
        var told: Set<String> = []
        for source in sources where told.insert(source).inserted { edges.append(Edge(from: source, to: id)) }
        return id
    }

    /// The identifiers of the nodes found so far.
    private struct Finder {
        private var ids: [ObjectIdentifier: String] = [:]
        private var operators = 0
        private var visited = 0
        /// Returns the sources of a node whose values are remembered.
        let remembered: (Node) -> [Node]

        init(_ variables: [(String, any PersistentState)], remembered: @escaping (Node) -> [Node]) {
            self.remembered = remembered
            for (name, stored) in variables { ids[ObjectIdentifier(stored)] = "variable/\(name)" }
        }

        func known(_ object: AnyObject) -> String? { ids[ObjectIdentifier(object)] }

        /// Counts a visited node. Returns false beyond the limit. Called before the descent, so that it also limits the
        /// depth.
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
    /// Replies with the data flow behind the views of a permit, and its moment. `withInstances` adds the watched
    /// instances of views of the space that are the same for all readers.
    package func describe(
        _ permit: ReadPermit, withInstances: Bool = false,
        _ reply: @escaping (Result<(graph: SpaceGraph, moment: Moment), Refusal>) -> Void
    ) {
        // A read ensures that the state is durable and settled; the values are not used.
        read(permit.withoutViews) { [self] result in
            switch result {
            case .failure(let refusal): reply(.failure(refusal))
            case .success(let reading):
                check(permit) { [self] result in
                    if case .failure(let refusal) = result { return reply(.failure(refusal)) }
                    let views = permit.sources
                    guard permit.space != .common else {
                        let graph = replica.builds.begin { SpaceGraph(of: views, among: [replica.features], in: $0) }
                        return reply(.success((graph, reading.moment)))
                    }
                    use(permit.space) { [self] space in
                        let instances =
                            withInstances ? space.instances.cells.keys.filter { $0.kind == nil }.sorted() : []
                        let graph = space.makeBuilds().begin {
                            SpaceGraph(of: views + instances, among: [replica.features, space.features], in: $0)
                        }
                        reply(.success((graph, reading.moment)))
                    }
                }
            }
        }
    }
}
