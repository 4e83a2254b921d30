/// The load that a cluster has to carry.
public struct ClusterLoad: Hashable, Sendable {
    /// The number of spaces.
    public var spaces = 1_000_000.0
    /// The commits of all spaces per second.
    public var commits = 50_000.0
    /// The open streams of all clients. Each shows one space.
    public var streams = 10_000_000.0
    /// The bytes of a commit in the log.
    public var commitBytes = 250.0
    /// The bytes of a space in a copy.
    public var spaceBytes = 4_096.0
    /// The lanes of the cluster.
    public var lanes = 48.0
    /// The regions, each with its own nodes.
    public var regions = 3.0
    /// The part of the lanes that a node follows: 1 for all.
    public var followed = 1.0

    /// The load of section 17 of the plan: a million spaces, ten million streams, three regions.
    public init() {}
}
