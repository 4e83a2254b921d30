import JSON

/// A counter of the nodes of a pipeline, in which each reference counts as the pipeline it refers to.
struct SizeCounter {
    /// The number of nodes, up to 2^40, and the number on the longest path.
    struct PipelineSize {
        var nodes = 0
        var inARow = 0

        /// Adds a pipeline beside this one.
        mutating func add(beside other: PipelineSize) {
            nodes = Swift.min(nodes + other.nodes, 1 << 40)
            inARow = max(inARow, other.inARow)
        }

        /// Adds a node behind this one.
        mutating func addBehind() {
            nodes += 1
            inARow += 1
        }
    }

    private let pipelines: [String: Pipeline]
    private var known: [String: PipelineSize] = [:]

    init(_ pipelines: [String: Pipeline]) {
        self.pipelines = pipelines
    }

    mutating func size(of pipeline: Pipeline) -> PipelineSize {
        size(of: pipeline.operators, after: size(of: pipeline.source))
    }

    private mutating func size(of operators: [Operator], after source: PipelineSize) -> PipelineSize {
        var size = source
        for one in operators {
            if let inner = one.inner { size.add(beside: self.size(of: inner)) }
            size.addBehind()
        }
        return size
    }

    private mutating func size(of source: PipelineSource) -> PipelineSize {
        var size = PipelineSize()
        switch source {
        case .items(let items):
            for item in items {
                size.add(beside: self.size(of: item.operators, after: PipelineSize(nodes: 1, inARow: 1)))
            }
        case .view, .input, .changes: break
        case .inline(let pipeline): size = self.size(of: pipeline)
        case .joined(_, let sources): for source in sources { size.add(beside: self.size(of: source)) }
        case .reference(let id):
            if let known = known[id] { return known }
            guard let pipeline = pipelines[id] else { break }
            size = self.size(of: pipeline)
            known[id] = size
            return size
        }
        size.addBehind()
        return size
    }
}
