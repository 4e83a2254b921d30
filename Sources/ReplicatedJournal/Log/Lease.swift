internal import StateStore

/// A node's claim to be alive, and what the others have to know of it.
package struct Lease: Hashable, Sendable {
    /// The state of a node.
    package enum NodeState: UInt8, Hashable, Sendable {
        /// The node runs and may own lanes.
        case alive = 0
        /// The node hands its lanes over.
        case draining = 1
        /// Another node has found that it no longer renews its lease. Only a new lease of the node itself ends this.
        case dead = 2
    }

    /// The name of the node, unique in its cluster.
    package let node: String
    /// A random number of the process that wrote the lease.
    package let instance: UInt64
    /// The state.
    package var state: NodeState
    /// The address at which the node serves, for people.
    package var address: String
    /// The version of its program.
    package var program: String
    /// The formats of entries that it reads.
    package var formats: [UInt8]
    /// The number of the last entry that it has applied, by lane.
    package var applied: [Lane: Int]
    /// The lanes that it owns.
    package var owned: [Lane]

    /// A lease.
    package init(
        node: String, instance: UInt64, state: NodeState = .alive, address: String = "", program: String = "",
        formats: [UInt8] = LogEntry.formats, applied: [Lane: Int] = [:], owned: [Lane] = []
    ) {
        self.node = node
        self.instance = instance
        self.state = state
        self.address = address
        self.program = program
        self.formats = formats
        self.applied = applied
        self.owned = owned
    }

    /// Returns true if a text can be the name of a node: letters, digits, `-` and `_`.
    package static func isName(_ text: String) -> Bool { NodeName.isValid(text) }
}

/// A lease as the log stores it.
package struct StoredLease: Hashable, Sendable {
    /// The lease.
    package let lease: Lease
    /// The revision. Revisions are compared for equality only.
    package let revision: UInt64

    /// A stored lease.
    package init(_ lease: Lease, revision: UInt64) {
        self.lease = lease
        self.revision = revision
    }
}

extension Lease {
    private static let format: UInt8 = 1

    /// The lease as bytes.
    package var bytes: [UInt8] {
        var writer = EntryWriter()
        writer.byte(Self.format)
        writer.text(node)
        writer.word(instance)
        writer.byte(state.rawValue)
        writer.text(address)
        writer.text(program)
        writer.bytes(formats)
        writer.count(applied.count)
        for (lane, number) in applied.sorted(by: { $0.key < $1.key }) {
            writer.lane(lane)
            writer.count(number)
        }
        writer.count(owned.count)
        for lane in owned { writer.lane(lane) }
        return writer.bytes
    }

    /// Reads a lease from bytes.
    package init(bytes: [UInt8]) throws(EntryFault) {
        var reader = EntryReader(bytes)
        guard try reader.byte() == Self.format else { throw .unknownFormat(bytes[0]) }
        node = try reader.text()
        instance = try reader.word()
        guard let state = NodeState(rawValue: try reader.byte()) else { throw .malformed }
        self.state = state
        address = try reader.text()
        program = try reader.text()
        formats = try reader.bytes()
        var applied: [Lane: Int] = [:]
        for _ in 0..<(try reader.count(of: 2)) {
            let lane = try reader.lane()
            applied[lane] = try reader.number()
        }
        self.applied = applied
        var owned: [Lane] = []
        for _ in 0..<(try reader.count(of: 1)) { owned.append(try reader.lane()) }
        self.owned = owned
        guard reader.isAtEnd, Self.isName(node) else { throw .malformed }
    }
}
