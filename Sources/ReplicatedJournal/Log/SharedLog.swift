/// A log that several machines append to, one entry after another, in each of its lanes.
///
/// No call blocks. Closures are called on any thread, those of one subscription in order and never two at a time. An
/// implementation calls `done` of each call exactly once, after at most a few seconds, and never within the call.
package protocol SharedLog: AnyObject, Sendable {
    /// Appends an entry after the one of number `last`. The log stores it only as number `last + 1`. A failure says
    /// nothing about whether the entry is stored or will be.
    func append(
        _ entry: [UInt8], to lane: Lane, after last: Int,
        _ done: @escaping @Sendable (Result<Int, LogFailure>) -> Void)

    /// Lets another server lead a lane, if there is one that can: the present one has no room.
    func moveLeader(of lane: Lane)

    /// Reads the stored entry of a number, from the leader of the lane; nil if none is stored there yet. Fails with
    /// `gone` if the entry was trimmed.
    func entry(
        _ number: Int, of lane: Lane, _ done: @escaping @Sendable (Result<[UInt8]?, LogFailure>) -> Void)

    /// Reads the extent of a lane, from its leader.
    func extent(of lane: Lane, _ done: @escaping @Sendable (Result<LaneExtent, LogFailure>) -> Void)

    /// Delivers all entries after a number, then each new one, in order and without a gap. The log resumes by itself
    /// after a lost connection. Delivers a failure only if the subscription cannot go on: `gone` if entries after
    /// `number` were trimmed, `unusable` if the lane does not exist.
    func follow(
        _ lane: Lane, after number: Int,
        _ receive: @escaping @Sendable (Result<[StoredEntry], LogFailure>) -> Void
    ) -> LogSubscription

    /// Removes the entries up to a number.
    func trim(_ lane: Lane, upTo number: Int, _ done: @escaping @Sendable (LogFailure?) -> Void)

    /// Reads the lease of a node, from the leader; nil if there is none.
    func lease(of node: String, _ done: @escaping @Sendable (Result<StoredLease?, LogFailure>) -> Void)

    /// Writes a lease if that of its node has the revision `revision`, or with nil if there is none. Returns the new
    /// revision. Fails with `refused` if the revision is another.
    func renew(
        _ lease: Lease, after revision: UInt64?, _ done: @escaping @Sendable (Result<UInt64, LogFailure>) -> Void)

    /// Delivers the lease of each node, then every change, as far as there is a connection.
    func watchLeases(_ receive: @escaping @Sendable (StoredLease) -> Void) -> LogSubscription

    /// Sends a request to one node that serves a subject. Fails at once with `unserved` if none does: then no node has
    /// received it. After any other failure a node may have.
    func ask(
        _ subject: String, _ body: [UInt8], timeout: Duration,
        _ done: @escaping @Sendable (Result<[UInt8], LogFailure>) -> Void)

    /// Serves the requests to a subject. Every request may be answered once, on any thread. The subject is below the
    /// prefix of the cluster, for instance `act.7`.
    func serve(
        _ subject: String,
        _ receive: @escaping @Sendable (_ body: [UInt8], _ reply: @escaping @Sendable ([UInt8]) -> Void) -> Void
    ) -> LogSubscription

    /// Calls `receive` with true whenever a connection is made, with false whenever it is lost, and with the present
    /// state at once.
    func watchConnection(_ receive: @escaping @Sendable (Bool) -> Void) -> LogSubscription

    /// Connects to another server, if there is one: the present one seems to be apart from the others.
    func moveOn()

    /// Ends all subscriptions, and the connections. Calls under way fail.
    func close()
}
