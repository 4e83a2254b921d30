import ReplicatedJournal

/// The reason that a command about a cluster was refused, in words.
package struct ClusterFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The words.
    package let description: String

    /// A reason.
    package init(_ description: String) {
        self.description = description
    }

    init(_ fault: NATSFault) {
        self.init(fault.description)
    }

    init(_ failure: LogFailure) {
        self.init(failure.description)
    }
}
