import JSON

/// How much definitions come to when each reference is what it refers to.
struct Survey {
    /// How many nodes there are, and how many on the longest way through them. Beyond what can be counted they stay at the most there is.
    struct Extent {
        var nodes = 0
        var inARow = 0

        /// With another beside it.
        mutating func add(beside other: Extent) {
            nodes = Swift.min(nodes + other.nodes, 1 << 40)
            inARow = max(inARow, other.inARow)
        }

        /// With one more node behind it.
        mutating func addBehind() {
            nodes += 1
            inARow += 1
        }
    }

    private let definitions: [String: Definition]
    private var known: [String: Extent] = [:]

    init(_ definitions: [String: Definition]) {
        self.definitions = definitions
    }

    mutating func extent(of pipeline: Pipeline) -> Extent {
        extent(of: pipeline.operators, after: extent(of: pipeline.source))
    }

    private mutating func extent(of operators: [Operator], after source: Extent) -> Extent {
        var extent = source
        for one in operators {
            if let inner = one.inner { extent.add(beside: self.extent(of: inner)) }
            extent.addBehind()
        }
        return extent
    }

    private mutating func extent(of source: Source) -> Extent {
        var extent = Extent()
        switch source {
        case .items(let items):
            for item in items { extent.add(beside: self.extent(of: item.operators, after: Extent(nodes: 1, inARow: 1))) }
        case .view, .input: break
        case .inline(let pipeline): extent = self.extent(of: pipeline)
        case .joined(_, let sources): for source in sources { extent.add(beside: self.extent(of: source)) }
        case .reference(let id):
            if let known = known[id] { return known }
            guard let definition = definitions[id] else { break }
            extent = self.extent(of: definition.pipeline)
            known[id] = extent
            return extent
        }
        extent.addBehind()
        return extent
    }
}

extension Pipeline {
    /// Whether no items and no inputs feed it; what it refers to is looked at for itself.
    var isLive: Bool {
        source.isLive && operators.allSatisfy { $0.inner?.isLive ?? true }
    }
}

extension Source {
    fileprivate var isLive: Bool {
        switch self {
        case .items, .input: false
        case .view, .reference: true
        case .inline(let pipeline): pipeline.isLive
        case .joined(_, let sources): sources.allSatisfy(\.isLive)
        }
    }
}
