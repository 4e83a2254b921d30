import Reactive
package import ReplicatedJournal

/// The servers of a simulated log: the lanes, the leases and the requests between nodes.
package final class MemoryLogServer: @unchecked Sendable {
    // Sendable because a simulation runs on one thread.
    struct LaneStorage {
        var entries: [[UInt8]] = []
        /// The number of entries that were trimmed.
        var trimmed = 0
        var identity: String

        var last: Int { trimmed + entries.count }
    }

    let world: SimulatedWorld
    private(set) var lanes: [Lane: LaneStorage] = [:]
    private(set) var leases: [String: StoredLease] = [:]
    /// The lanes whose leaders have no room.
    package var full: Set<Lane> = []
    private var revision: UInt64 = 0
    var clients: [MemoryLog] = []
    /// False while the servers have no quorum: nothing is written, and the leader answers no reads.
    package var hasQuorum = true

    /// Servers with the lanes of a cluster, whose settings are the first entry of `common`.
    package init(_ world: SimulatedWorld, _ settings: ClusterSettings) {
        self.world = world
        for lane in Lane.all(settings.lanes) { lanes[lane] = LaneStorage(identity: "first") }
        let entry = settings.entry(by: "init", batch: BatchID(first: 1, second: 1))
        lanes[.common]?.entries.append(entry.encoded(after: .beginning).bytes)
    }

    // MARK: Lanes

    func append(_ entry: [UInt8], to lane: Lane, after last: Int) -> Result<Int, LogFailure> {
        guard let storage = lanes[lane] else { return .failure(LogFailure(.unusable, "no such lane")) }
        guard !full.contains(lane) else { return .failure(LogFailure(.full, "insufficient resources")) }
        guard storage.last == last else {
            return .failure(LogFailure(.refused, "the lane is at \(storage.last), not at \(last)"))
        }
        lanes[lane]?.entries.append(entry)
        for client in clients { client.deliver(lane) }
        return .success(last + 1)
    }

    /// The bytes of all entries of a lane that are still stored.
    package func entries(of lane: Lane) -> [[UInt8]] { lanes[lane]?.entries ?? [] }

    /// Loses the newest entries of a lane, as servers without synced disks do when they lose power.
    package func lose(_ count: Int, of lane: Lane) {
        lanes[lane]?.entries.removeLast(count)
    }

    /// Replaces the storage of a lane by an empty one.
    package func makeAnew(_ lane: Lane) {
        lanes[lane] = LaneStorage(identity: "second")
    }

    /// Replaces the storage of a lane by one that goes on after an entry, as `headwater cluster repair` does.
    package func repair(_ lane: Lane, after number: Int) {
        lanes[lane] = LaneStorage(trimmed: number, identity: "repaired")
    }

    /// Replaces the bytes of an entry.
    package func change(_ number: Int, of lane: Lane, _ body: (inout [UInt8]) -> Void) {
        guard let storage = lanes[lane], number > storage.trimmed else { return }
        body(&lanes[lane]!.entries[number - storage.trimmed - 1])
    }

    func trim(_ lane: Lane, upTo number: Int) {
        guard let storage = lanes[lane], number > storage.trimmed, number <= storage.last else { return }
        lanes[lane]?.entries.removeFirst(number - storage.trimmed)
        lanes[lane]?.trimmed = number
    }

    // MARK: Leases

    func renew(_ lease: Lease, after expected: UInt64?) -> Result<UInt64, LogFailure> {
        guard leases[lease.node]?.revision == expected else {
            return .failure(LogFailure(.refused, "the lease has another revision"))
        }
        revision += 1
        let stored = StoredLease(lease, revision: revision)
        leases[lease.node] = stored
        for client in clients { client.deliver(stored) }
        return .success(revision)
    }

    /// Loses all leases, as a bucket in memory does when all servers start again.
    package func loseLeases() {
        leases = [:]
        revision = 0
    }
}
