package import ReplicatedJournal

/// The nodes and lanes of a cluster at one moment.
package struct ClusterReport: Sendable {
    /// A node that has written a lease since the servers began.
    package struct ReportedNode: Sendable {
        /// The lease.
        package let lease: Lease
        /// The age of the lease in seconds.
        package let age: Double

        /// The condition in one word: `alive`, `draining`, `silent` after 6 seconds without a renewal, `dead`.
        package var condition: String {
            switch lease.state {
            case .dead: "dead"
            case _ where age > 6: "silent"
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
            + (free.isEmpty ? [] : ["without an owner: \(Self.text(free))"])
    }

    private func row(_ node: ReportedNode) -> [String] {
        [
            node.lease.node, node.lease.address.isEmpty ? "-" : node.lease.address, node.condition,
            node.lease.owned.isEmpty ? "-" : Self.text(node.lease.owned.sorted()),
        ]
    }

    /// The lanes as text, with ranges: `common 0-3 7`.
    static func text(_ lanes: [Lane]) -> String {
        var ranges: [(first: Int, last: Int)] = []
        for number in lanes.filter({ $0 != .common }).map(\.number).sorted() {
            if let last = ranges.last, last.last == number - 1 {
                ranges[ranges.count - 1].last = number
            } else {
                ranges.append((number, number))
            }
        }
        return
            ((lanes.contains(.common) ? ["common"] : [])
            + ranges.map { $0.first == $0.last ? "\($0.first)" : "\($0.first)-\($0.last)" })
            .joined(separator: " ")
    }
}

extension String {
    /// The text without spaces at its end.
    fileprivate func trimmingEnd() -> String {
        String(reversed().drop { $0 == " " }.reversed())
    }
}
