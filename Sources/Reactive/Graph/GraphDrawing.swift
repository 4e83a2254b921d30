/// A drawing of the part of a graph that some observables derive from, for debugging.
///
///     print(GraphDrawing(of: total))
///
/// prints each node once, the sources first:
///
///     1 variable: 2
///     2 variable: 3
///     3 combineLatest: 6 ← 1, 2
///
/// An observable without a listener has no sources: it computes nothing.
public struct GraphDrawing: Sendable, CustomStringConvertible {
    /// One node.
    public struct DrawnNode: Hashable, Sendable {
        /// The number of the node in the drawing.
        public let number: Int
        /// The operator that made the node: `map`, `combineLatest`, `variable`.
        public let name: String
        /// The latest value in short; nil if there is none.
        public let latest: String?
        /// The number of joints on the longest path from a source: nodes are computed in this order.
        public let height: Int
        /// The numbers of the nodes that it listens to.
        public let sources: [Int]
    }

    /// The nodes, each after its sources.
    public let nodes: [DrawnNode]

    /// Draws the nodes behind some observables. Precondition: called in the isolation of their graph.
    public init(of roots: Node...) {
        var numbers: [ObjectIdentifier: Int] = [:]
        var nodes: [DrawnNode] = []
        // A stack of its own, because a graph may be deeper than a thread's stack.
        var stack: [(node: Node, sources: [Node], next: Int)] = []
        func push(_ node: Node) { stack.append((node, node.upstream, 0)) }
        for root in roots where numbers[ObjectIdentifier(root)] == nil {
            push(root)
            while var top = stack.popLast() {
                if top.next < top.sources.count {
                    let source = top.sources[top.next]
                    top.next += 1
                    stack.append(top)
                    if numbers[ObjectIdentifier(source)] == nil { push(source) }
                } else if numbers[ObjectIdentifier(top.node)] == nil {
                    numbers[ObjectIdentifier(top.node)] = nodes.count + 1
                    nodes.append(
                        DrawnNode(
                            number: nodes.count + 1, name: top.node.operatorName, latest: top.node.latestText,
                            height: top.node.height, sources: top.sources.compactMap { numbers[ObjectIdentifier($0)] }))
                }
            }
        }
        self.nodes = nodes
    }

    /// A line for each node: its number, its operator, its latest value and the numbers of its sources.
    public var description: String {
        nodes.map { node in
            let sources = node.sources.map(\.description).joined(separator: ", ")
            let latest = node.latest.map { ": \($0)" } ?? ""
            return "\(node.number) \(node.name)\(latest)\(sources.isEmpty ? "" : " ← \(sources)")"
        }.joined(separator: "\n")
    }

    /// The drawing in the language of Mermaid, which many editors show as a picture.
    public var mermaid: String {
        var lines = ["graph TD"]
        for node in nodes {
            let text = (node.name + (node.latest.map { ": \($0)" } ?? "")).map { $0 == "\"" ? "'" : $0 }
            lines.append("  n\(node.number)[\"\(String(text))\"]")
            for source in node.sources { lines.append("  n\(source) --> n\(node.number)") }
        }
        return lines.joined(separator: "\n")
    }
}
