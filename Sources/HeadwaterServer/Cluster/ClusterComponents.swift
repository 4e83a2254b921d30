import ReplicatedJournal

/// The parts of a service that a cluster needs.
struct ClusterComponents: Sendable {
    let journal: ReplicatedJournal
    /// True if reads show what this node has unless they ask for more.
    let readsNear: Bool
}
