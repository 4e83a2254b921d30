/// The times of the leases and of the placement.
package struct NodeTiming: Sendable {
    /// The time between renewals of the lease.
    package var renewal = Duration.seconds(1)
    /// The time for which a lease is valid after the renewal that was acknowledged was sent.
    package var validity = Duration.seconds(5)
    /// The time without a change of another node's lease after which the node may be dead.
    package var patience = Duration.seconds(6)
    /// The time between looks at the placement.
    package var placement = Duration.milliseconds(500)
    /// The time for which a node is not the best of a lane before it hands the lane over.
    package var settling = Duration.seconds(30)
    /// The time between two lanes that are handed over.
    package var handover = Duration.seconds(2)
    /// The time for which the log keeps entries.
    package var retention = Duration.seconds(24 * 3_600)

    /// The usual times.
    package init() {}
}
