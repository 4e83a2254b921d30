/// A state of a node in which it does not answer everything, with what an operator can do.
package struct NodeFault: Hashable, Sendable {
    /// The kind of a fault. Its text is a label of the metrics.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The node hands its lanes over.
        case draining
        /// There is no connection to the log.
        case disconnected
        /// The log takes no lease of the node.
        case noLease = "no-lease"
        /// Another process serves under the name of the node.
        case nameTaken = "name-taken"
        /// Lanes have stopped until an operator acts.
        case stopped
        /// Lanes were not read to their ends since the node began.
        case unread
        /// The node lacks entries of lanes.
        case behind
        /// No living node owns lanes.
        case noOwner = "no-owner"
        /// The log does not store the entries of lanes that the node owns.
        case unwritten
    }

    /// What clients want of a node.
    package enum Use: String, Hashable, Sendable, CaseIterable {
        /// Reads that show everything that was answered before.
        case reads
        /// Reads that show what the node has.
        case near
        /// Actions.
        case actions
    }

    /// The kind.
    package let kind: Kind
    /// The lanes that it concerns; empty for all.
    package let lanes: [Lane]
    /// The reason, where the kind does not say it.
    let reason: String

    init(_ kind: Kind, _ lanes: [Lane] = [], _ reason: String = "") {
        (self.kind, self.lanes, self.reason) = (kind, lanes, reason)
    }

    /// Returns true if the node cannot do what clients want because of the fault.
    package func hinders(_ use: Use) -> Bool {
        switch kind {
        case .draining, .stopped, .unread: true
        case .unwritten: use == .actions
        case .disconnected, .noLease, .nameTaken, .behind, .noOwner: use != .near
        }
    }

    /// The fault in words, and what to do.
    package var description: String { "\(words): \(remedy)" }

    private var words: String {
        let names = "\(lanes.count == 1 ? "lane" : "lanes") \(Lane.text(lanes))"
        let verb = lanes.count == 1 ? "has" : "have"
        return switch kind {
        case .draining: "the node hands its lanes over"
        case .disconnected: "there is no connection to the log"
        case .noLease: "the log takes no lease of this node"
        case .nameTaken: "another process serves under the name of this node, at \(reason)"
        case .stopped: "\(names) \(verb) stopped: \(reason)"
        case .unread: "\(names) \(lanes.count == 1 ? "was" : "were") not read to the end yet"
        case .behind: "\(names) \(verb) been behind for more than 10 s"
        case .noOwner: "\(names) \(verb) no owner"
        case .unwritten: "the log stores no entries of \(names)"
        }
    }

    private var remedy: String {
        switch kind {
        case .draining: "send requests to another node"
        case .disconnected: "look at the servers of --journal, and at the network"
        case .noLease: "two of three servers of the log must run, and reach each other and this node"
        case .nameTaken: "give each node a --node of its own, and stop one of both"
        case .stopped: "see \"Repair a lane\" in docs/cluster.md"
        case .unread: "it goes on by itself once the log answers"
        case .behind: "look at the disk of this node, and at the disks and limits of the servers of the log"
        case .noOwner: "the nodes claim them once the log stores entries: look at the disks and limits of its servers"
        case .unwritten: "look at the disks and limits of the servers of the log"
        }
    }
}

/// Writes that a fault has begun, in words, or that a kind of fault is over.
package typealias FaultNote = @Sendable (_ words: String, _ isOver: Bool) -> Void
