/// The size of the cluster that carries a load, by measured costs.
public struct ClusterSize: Sendable {
    /// A requirement that decides the number of nodes.
    public enum Bound: String, Sendable {
        case streams, memory, processors
        /// Applying the commits of all others takes more than a machine has: no number of nodes suffices.
        case impossible
    }

    /// The commits in one entry of the log.
    public let batch: Double
    /// The entries per second of one lane.
    public let laneEntries: Double
    /// The entries per second of all lanes.
    public let entries: Double
    /// The bytes per second that are appended.
    public let appendedBytes: Double
    /// The disks of each server that the syncs need.
    public let disks: Double
    /// The nodes in all regions.
    public let nodes: Double
    /// The requirement that decides their number.
    public let bound: Bound
    /// The part of the processors of a node that is busy.
    public let nodeBusy: Double
    /// The processors of a node that apply the commits of the others.
    public let applying: Double
    /// The bytes per second that reach one node.
    public let followedBytes: Double
    /// The bytes per second that leave the servers of the log if each node follows them directly.
    public let directBytes: Double
    /// The servers of a mirror in each region; 0 if the servers of the log serve all nodes.
    public let mirrors: Double
    /// The processors that the servers of the log use in all.
    public let serverCores: Double
    /// The bytes of a copy.
    public let copyBytes: Double
    /// The events per second to all streams.
    public let events: Double

    /// The size for a load.
    public init(_ load: ClusterLoad, _ costs: MeasuredCosts = MeasuredCosts()) {
        // One batch is under way per lane, so a batch has the commits that arrive meanwhile.
        let laneCommits = load.commits / load.lanes
        let synced = load.lanes / costs.appendsPerDisk
        batch = max(1, laneCommits * max(costs.appendLatency, synced))
        laneEntries = laneCommits / batch
        entries = laneEntries * load.lanes
        appendedBytes = load.commits * load.commitBytes
        disks = max(1, (entries / costs.appendsPerDisk).rounded(.up))

        events = load.commits * (load.spaces > 0 ? load.streams / load.spaces : 0)
        applying = load.commits * load.followed * costs.applied
        let shared = load.commits * costs.action + events * costs.event
        let budget = costs.cores * costs.busy - applying
        let byStreams = load.streams / costs.streamsLimit
        let byMemory = load.streams * costs.streamBytes / costs.memory
        let byProcessors = budget > 0 ? shared / budget : .infinity
        let needed = max(byStreams, byMemory, byProcessors, load.regions, 3)
        nodes = needed.rounded(.up)
        bound =
            budget <= 0
            ? .impossible : needed == byProcessors ? .processors : needed == byMemory ? .memory : .streams
        nodeBusy = (applying + shared / nodes) / costs.cores

        followedBytes = appendedBytes * load.followed
        directBytes = followedBytes * nodes
        let perRegion = followedBytes * nodes / load.regions
        let isDirect = load.regions <= 1 && directBytes <= 3 * costs.network * costs.busy
        mirrors = isDirect ? 0 : max(3, (perRegion / (costs.network * costs.busy)).rounded(.up))
        let delivered = isDirect ? directBytes : appendedBytes * load.regions
        serverCores = entries * costs.append + delivered / costs.deliveredBytes
        copyBytes = load.spaces * load.spaceBytes * load.followed
    }
}
