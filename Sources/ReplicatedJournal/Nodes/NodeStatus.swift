internal import Platform
internal import Reactive
package import StateStore

/// The part of a node that all threads read: what it owns, what it may answer, and its figures.
package final class NodeStatus: Sendable {
    /// The state of one lane.
    package struct LaneState: Hashable, Sendable {
        /// The node that owns the lane; nil for none.
        package var owner: String?
        /// True if this process owns it.
        package var isOwned = false
        /// The number of the last claim of this process.
        package var claim = 0
        /// The term of that claim.
        package var term = 0
        /// True if this node may answer fresh reads of it while the lease is valid.
        package var isConfirmed = false
        /// The number of the last entry that was applied.
        package var applied = 0
        /// The number of the last entry that is known to be stored.
        package var end = 0
        /// True once it was read to an end that the log has named.
        package var isAtEnd = false
        /// The time in nanoseconds since which the lane is behind; nil while it is not.
        package var behindSince: Int64?
        /// The reason that it has stopped; nil while it goes on.
        package var halt: String?
        /// True while the outcome of an append is unknown.
        package var isUnsure = false
        /// The time in nanoseconds since which no living node owns the lane, as far as this one knows; nil while one does.
        package var ownerlessSince: Int64? = .min
        /// The time in nanoseconds since which an entry of this node waits to be stored; nil while none does.
        package var unwrittenSince: Int64?
    }

    /// The version of `common` in the copy.
    struct CommonState {
        var version: Int
        /// True until the versions begin anew because the space was deleted.
        var isOrdered = true
    }

    struct SharedState {
        var lanes: [Lane: LaneState] = [:]
        var recentKeys: [Lane: RecentKeys] = [:]
        var lives: CopyLives
        var leaseUntil: Int64 = 0
        var leases: [Lease] = []
        var isConnected = false
        var isDraining = false
        /// The address of another process that serves under the name of the node; nil for none.
        var rival: String?
        var isClosed = false
        var appends: [AppendOutcome: Int] = [:]
        var appendSeconds = SecondsHistogram()
        var barrierSeconds = SecondsHistogram()
        var claims = 0
        /// The end of the promise of the owner of `common`, in nanoseconds.
        var promisedUntil: Int64 = 0
        var common: CommonState
        var commonSeconds = SecondsHistogram()
        var followers: [Int: @Sendable (JournalNews) -> Void] = [:]
        var ownerWatchers: [@Sendable (Lane, Bool) -> Void] = []
        var next = 0
    }

    let contents: Lock<SharedState>
    /// The number of lanes, besides that of `common`.
    package let laneCount: Int
    /// The clock of the leases, in nanoseconds.
    let clock: @Sendable () -> Int64

    init(_ settings: ClusterSettings, _ lives: CopyLives, common: Int, clock: @escaping @Sendable () -> Int64) {
        laneCount = settings.lanes
        self.clock = clock
        contents = Lock(SharedState(lives: lives, common: CommonState(version: common)))
    }

    /// Returns the lane of a space.
    package func lane(of space: SpaceName) -> Lane { Lane.of(space, among: laneCount) }

    /// Returns true if this process owns the lane of a space.
    package func owns(_ space: SpaceName) -> Bool {
        let lane = lane(of: space)
        return contents.with { $0.lanes[lane]?.isOwned ?? false }
    }

    /// Returns the number of the last entry of the lane of a space that was applied.
    func applied(of space: SpaceName) -> Int {
        let lane = lane(of: space)
        return contents.with { $0.lanes[lane]?.applied ?? 0 }
    }

    /// Returns false if the copy surely has no answer to an idempotency key.
    func mayHaveAnswer(to key: String, of space: SpaceName) -> Bool {
        let lane = lane(of: space)
        return contents.with { $0.recentKeys[lane]?.mayHave(key) ?? true }
    }

    /// Returns true if memory and copy have everything that any node has answered of some lanes.
    package func isFresh(_ lanes: [Lane]) -> Bool {
        let now = clock()
        return contents.with { contents in
            guard now < contents.leaseUntil else { return false }
            return lanes.allSatisfy { contents.lanes[$0].map { $0.isOwned && $0.isConfirmed } ?? false }
        }
    }

    /// Returns true if that holds for a lane and that of `common`, for a store that shows a version of `common`.
    package func isFresh(_ lane: Lane, common version: Int) -> Bool {
        let now = clock()
        return contents.with { contents in
            func isOwn(_ lane: Lane) -> Bool { contents.lanes[lane].map { $0.isOwned && $0.isConfirmed } ?? false }
            guard now < contents.leaseUntil else { return false }
            if isOwn(.common) { return lane == .common || isOwn(lane) }
            guard lane == .common || isOwn(lane) else { return false }
            // A store may not have heard yet of what the copy has.
            return now < contents.promisedUntil && contents.common.isOrdered && version >= contents.common.version
        }
    }

    /// True while the owner of `common` answers nothing that this node has not applied.
    var hasPromise: Bool {
        let now = clock()
        return contents.with { now < $0.promisedUntil && now < $0.leaseUntil && $0.common.isOrdered }
    }

    /// The version of `common` that the copy has and that all stores will show; 0 after its versions began anew.
    package var knownCommon: Int { contents.with { $0.common.isOrdered ? $0.common.version : 0 } }

    /// The version of `common` in the copy.
    var common: CommonState { contents.with { $0.common } }

    /// Notes a promise of the owner of `common`.
    func notePromise(until end: Instant) {
        contents.with { $0.promisedUntil = max($0.promisedUntil, end.nanoseconds) }
    }

    /// Returns the claim of this process to a lane; nil if it does not own the lane.
    func claim(of lane: Lane) -> SpaceClaim? {
        let now = clock()
        return contents.with { contents in
            guard let state = contents.lanes[lane], state.isOwned else { return nil }
            return SpaceClaim(
                state.claim, term: state.term, isSure: state.isConfirmed && now < contents.leaseUntil)
        }
    }

    /// True while the lease of this node is valid.
    package var hasLease: Bool { clock() < contents.with { $0.leaseUntil } }
    /// True while there is a connection to the log.
    package var isConnected: Bool { contents.with { $0.isConnected } }
    /// True once the node hands its lanes over.
    package var isDraining: Bool { contents.with { $0.isDraining } }
    /// The states of all lanes.
    package var lanes: [Lane: LaneState] { contents.with { $0.lanes } }
    /// The known leases, the own one first.
    package var leases: [Lease] { contents.with { $0.leases } }
    /// The number of appends by outcome.
    package var appends: [AppendOutcome: Int] { contents.with { $0.appends } }
    /// The times until entries were stored.
    package var appendSeconds: SecondsHistogram { contents.with { $0.appendSeconds } }
    /// The times that fresh reads waited.
    package var barrierSeconds: SecondsHistogram { contents.with { $0.barrierSeconds } }
    /// The times that kept commits of `common` waited for other nodes.
    package var commonSeconds: SecondsHistogram { contents.with { $0.commonSeconds } }
    /// The time of the clock of the leases in nanoseconds.
    package var now: Int64 { clock() }
    /// The number of claims by this process.
    package var claims: Int { contents.with { $0.claims } }

    /// The time in nanoseconds for which a lane may be behind, have no owner, or store nothing: other nodes take over
    /// meanwhile, or the servers elect a leader.
    private static let greatestDelay: Int64 = 10_000_000_000
    /// The time in nanoseconds for which the node may be without a lease, while the servers elect a leader.
    private static let greatestGap: Int64 = 5_000_000_000

    /// The faults that hinder the node at the moment, the ones of the whole node first.
    package var faults: [NodeFault] {
        let now = clock()
        return contents.with { contents in
            var faults: [NodeFault] = []
            if contents.isDraining { faults.append(NodeFault(.draining)) }
            if let rival = contents.rival { faults.append(NodeFault(.nameTaken, [], rival)) }
            if !contents.isConnected { faults.append(NodeFault(.disconnected)) }
            if now >= contents.leaseUntil + (contents.leaseUntil > 0 ? Self.greatestGap : 0) {
                faults.append(NodeFault(.noLease))
            }
            let lanes = contents.lanes.sorted { $0.key < $1.key }
            let halts = lanes.filter { $0.value.halt != nil }
            if let first = halts.first?.value.halt { faults.append(NodeFault(.stopped, halts.map(\.key), first)) }
            func add(_ kind: NodeFault.Kind, where isFaulty: (LaneState) -> Bool) {
                let faulty = lanes.filter { $0.value.halt == nil && isFaulty($0.value) }.map(\.key)
                if !faulty.isEmpty { faults.append(NodeFault(kind, faulty)) }
            }
            func isLong(since time: Int64?) -> Bool {
                time.map { $0 == .min || now - $0 > Self.greatestDelay } ?? false
            }
            add(.unread) { !$0.isAtEnd }
            add(.behind) { $0.isAtEnd && isLong(since: $0.behindSince) }
            // Without a lease nobody knows the owners.
            if contents.isConnected, now < contents.leaseUntil {
                add(.noOwner) { isLong(since: $0.ownerlessSince) }
                add(.unwritten) { isLong(since: $0.unwrittenSince) }
            }
            return faults
        }
    }
}
