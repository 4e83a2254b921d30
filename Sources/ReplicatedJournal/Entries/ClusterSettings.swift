public import StateStore

/// The settings of a cluster, which `headwater cluster init` appends to the lane of `common` as its first entry. A
/// later entry of this kind raises the base of lives.
public struct ClusterSettings: Hashable, Sendable {
    /// The random identity of the cluster. A copy of another cluster's log is refused.
    public let identity: UInt64
    /// The number of lanes, besides that of `common`.
    public let lanes: Int
    /// The number of the first life of every space.
    public let lifeBase: Int
    /// The key of the digests that clients see.
    public let digestKey: DigestKey

    /// Settings.
    public init(identity: UInt64, lanes: Int, lifeBase: Int, digestKey: DigestKey) {
        self.identity = identity
        self.lanes = lanes
        self.lifeBase = lifeBase
        self.digestKey = digestKey
    }

    /// Returns the settings of a new cluster.
    public static func new(lanes: Int) -> ClusterSettings {
        ClusterSettings(identity: .random(in: .min ... .max), lanes: lanes, lifeBase: 0, digestKey: .random())
    }

    /// The entry that holds the settings.
    public func entry(by node: String, term: Int = 0, batch: BatchID) -> LogEntry {
        LogEntry(lane: .common, kind: .settings, term: term, node: node, batch: batch, content: bytes)
    }

    /// The settings as bytes.
    public var bytes: [UInt8] {
        var writer = EntryWriter()
        writer.word(identity)
        writer.count(lanes)
        writer.count(lifeBase)
        writer.word(digestKey.first)
        writer.word(digestKey.second)
        return writer.bytes
    }

    /// Reads settings from bytes.
    public init(bytes: [UInt8]) throws(EntryFault) {
        var reader = EntryReader(bytes)
        identity = try reader.word()
        lanes = try reader.number()
        lifeBase = try reader.number()
        digestKey = DigestKey(try reader.word(), try reader.word())
        guard reader.isAtEnd, (1...Lane.limit).contains(lanes) else { throw .malformed }
    }
}
