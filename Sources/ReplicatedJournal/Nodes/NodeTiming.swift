/// The times of the leases and of the placement.
package struct NodeTiming: Sendable {
    /// The time between renewals of the lease.
    package var renewal = Duration.milliseconds(500)
    /// The time for which a lease is valid after the renewal that was acknowledged was sent.
    package var validity = Duration.milliseconds(2_500)
    /// The time without a change of another node's lease after which the node may be dead.
    package var patience = Duration.seconds(3)
    /// The time after a lease began during which no other node is declared dead.
    package var returning = Duration.milliseconds(1_500)
    /// The time between looks at the placement.
    package var placement = Duration.milliseconds(250)
    /// The time for which a node is not the best of a lane before it hands the lane over.
    package var settling = Duration.seconds(30)
    /// The time between two lanes that are handed over.
    package var handover = Duration.seconds(2)
    /// The time for which a fault lasts before a line of the log names it.
    package var noticing = Duration.seconds(2)
    /// The time for which the log keeps entries.
    package var retention = Duration.seconds(24 * 3_600)

    /// The usual times.
    package init() {}
}
