/// The costs that were measured on one machine, and the limits of a machine. Each can be replaced on the command line.
public struct MeasuredCosts: Hashable, Sendable {
    /// The processor time of an action on the owner of its lane, in seconds: a durable action on one machine.
    public var action = 14e-6
    /// The processor time for which a node applies a commit of another, in seconds.
    public var applied = 3e-6
    /// The processor time of an event to one stream, in seconds: about that of a read.
    public var event = 5.8e-6
    /// The memory of an open stream in bytes, in the server and in the kernel.
    public var streamBytes = 310.0 + 3_072.0
    /// The processor time of an append on all servers together, in seconds: 1 KB, three copies, each synced.
    public var append = 3.8e-3
    /// The time from an append to its acknowledgement, in seconds: a batch of 32 KB, three copies, each synced.
    public var appendLatency = 3.2e-3
    /// The appends per second on one disk with three copies of each, each synced; batches of 32 KB.
    public var appendsPerDisk = 266.0
    /// The bytes per second that one processor of a server delivers to followers: entries of 32 KB.
    public var deliveredBytes = 183e6

    /// The processors of a machine.
    public var cores = 8.0
    /// The part of a machine that may be busy.
    public var busy = 0.5
    /// The memory of a machine for streams, in bytes.
    public var memory = 8e9
    /// The streams of a machine.
    public var streamsLimit = 150_000.0
    /// The bytes per second that a machine sends.
    public var network = 1.0e9

    /// The measured costs.
    public init() {}
}
