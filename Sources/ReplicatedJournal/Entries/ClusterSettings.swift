package import StateStore

/// The settings of a cluster, which `headwater cluster init` appends to the lane of `common` as its first entry. A
/// later entry of this kind raises the base of lives.
package struct ClusterSettings: Hashable, Sendable {
    /// The random identity of the cluster. A copy of another cluster's log is refused.
    package let identity: UInt64
    /// The number of lanes, besides that of `common`.
    package let lanes: Int
    /// The number of the first life of every space.
    package let lifeBase: Int
    /// The key of the digests that clients see.
    package let digestKey: DigestKey

    /// Settings.
    package init(identity: UInt64, lanes: Int, lifeBase: Int, digestKey: DigestKey) {
        self.identity = identity
        self.lanes = lanes
        self.lifeBase = lifeBase
        self.digestKey = digestKey
    }

    /// Returns the settings of a new cluster.
    package static func new(lanes: Int) -> ClusterSettings {
        ClusterSettings(identity: .random(in: .min ... .max), lanes: lanes, lifeBase: 0, digestKey: .random())
    }

    /// The entry that holds the settings.
    package func entry(by node: String, term: Int = 0, batch: BatchID) -> LogEntry {
        LogEntry(lane: .common, kind: .settings, term: term, node: node, batch: batch, content: bytes)
    }

    /// The settings as bytes.
    package var bytes: [UInt8] {
        var writer = EntryWriter()
        writer.word(identity)
        writer.count(lanes)
        writer.count(lifeBase)
        writer.word(digestKey.first)
        writer.word(digestKey.second)
        return writer.bytes
    }

    /// Reads settings from bytes.
    package init(bytes: [UInt8]) throws(EntryFault) {
        var reader = EntryReader(bytes)
        identity = try reader.word()
        lanes = try reader.number()
        lifeBase = try reader.number()
        digestKey = DigestKey(try reader.word(), try reader.word())
        // The number of an entry is added to the base.
        guard reader.isAtEnd, (1...Lane.limit).contains(lanes), lifeBase <= Int.max / 2 else { throw .malformed }
    }
}
