package import ReplicatedJournal

/// The nodes and lanes of a cluster at one moment.
package struct ClusterReport: Sendable {
    /// A node that has written a lease since the servers began.
    package struct ReportedNode: Sendable {
        /// The lease.
        package let lease: Lease
        /// The age of the lease in seconds.
        package let age: Double
        /// The faults that the node itself sees, in words.
        package var faults: [String] = []

        /// The condition in one word: `alive`, `draining`, `silent` after 3 seconds without a renewal, `dead`.
        package var condition: String {
            switch lease.state {
            case .dead: "dead"
            case _ where age > 3: "silent"
            case .draining: "draining"
            case .alive: "alive"
            }
        }
    }

    /// The name of the cluster.
    package let cluster: String
    /// The number of lanes, besides that of `common`.
    package let lanes: Int
    /// The number of copies of each stream.
    package let replicas: Int
    /// The nodes by name.
    package let nodes: [ReportedNode]

    /// The lines of `headwater cluster show`.
    package var lines: [String] {
        let rows = [["node", "address", "lease", "lanes"]] + nodes.map(row)
        let widths = (0..<4).map { column in rows.map { $0[column].count }.max() ?? 0 }
        let owned = Set(nodes.filter { $0.condition != "dead" }.flatMap(\.lease.owned))
        let free = Lane.all(lanes).filter { !owned.contains($0) }
        return ["cluster \(cluster): \(lanes) lanes and common, \(replicas) copies"]
            + rows.map { row in
                zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
                    .trimmingEnd()
            }
            + (free.isEmpty ? [] : ["without an owner: \(Lane.text(free))"])
            + nodes.flatMap { node in node.faults.map { "node \(node.lease.node): \($0)" } }
    }

    private func row(_ node: ReportedNode) -> [String] {
        [
            node.lease.node, node.lease.address.isEmpty ? "-" : node.lease.address, node.condition,
            node.lease.owned.isEmpty ? "-" : Lane.text(node.lease.owned.sorted()),
        ]
    }
}

extension String {
    /// The text without spaces at its end.
    fileprivate func trimmingEnd() -> String {
        String(reversed().drop { $0 == " " }.reversed())
    }
}
