internal import Reactive

/// What the owner of `common` has promised to other nodes: for a moment it answers no commit that they have not applied.
/// So their fresh reads need not ask for each read.
///
/// A node counts the moment from its question on, and the owner from its answer on. So the owner's ends later.
struct CommonPromises {
    /// The moment, as the other node counts it,
    static let duration = Duration.milliseconds(500)
    /// and as the owner counts it: clocks of two machines do not run equally fast.
    static let ownDuration = Duration.milliseconds(550)

    private struct Promises {
        /// The last version that the node has applied.
        var applied = 0
        /// The ends of the moments, by the version that the node had to apply before.
        var ends: [Int: Instant] = [:]
    }

    private var nodes: [String: Promises] = [:]
    /// The end of the promises that an owner before this one may have made.
    private var earlierEnd = Instant.zero

    /// Begins anew, because the node becomes the owner.
    mutating func begin(at now: Instant) {
        nodes = [:]
        earlierEnd = now + Self.ownDuration
    }

    /// Notes that a node has applied a version.
    mutating func hear(of version: Int, by node: String) {
        guard let applied = nodes[node]?.applied, applied < version else { return }
        nodes[node]?.applied = version
    }

    /// Promises a node that commits after `version`, which it applies before it relies on the promise, are not answered.
    mutating func promise(to node: String, after version: Int, at now: Instant) {
        nodes = nodes.filter { $0.key == node || $0.value.ends.values.contains { $0 > now } }
        var promises = nodes[node] ?? Promises()
        promises.ends = promises.ends.filter { $0.value > now }
        promises.ends[version] = now + Self.ownDuration
        nodes[node] = promises
    }

    /// Returns the time before which a commit must not be answered, unless nodes apply it first; nil if it can be
    /// answered now.
    func end(of version: Int, at now: Instant) -> Instant? {
        var last = earlierEnd
        for node in nodes.values where node.applied < version {
            for (known, end) in node.ends where known < version { last = max(last, end) }
        }
        return last > now ? last : nil
    }
}
