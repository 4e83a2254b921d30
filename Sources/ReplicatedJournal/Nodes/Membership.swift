internal import Ground
internal import Reactive
internal import StateStore

/// The lease of this node, and what it knows of those of the others. It runs on the executor of the node.
///
/// Leases decide when a node claims a lane and whether it answers fresh reads. The log alone decides what is stored.
final class Membership {
    private struct Observation {
        var lease: Lease
        var revision: UInt64
        var changedAt: Instant
        var isLooking = false
    }

    /// A process of another data directory that serves under the name of this node.
    struct Rival {
        let revision: UInt64
        let since: Instant
        /// The address; nil before the process has renewed the lease, and so is known to live.
        var address: String?
    }

    /// The lease as the next renewal writes it.
    var lease: Lease
    /// The number of leases that this process has taken. A lease that ran out for a moment is a new one afterwards.
    private(set) var epoch = 0
    /// The time since which this lease is valid without a gap.
    private var validSince = Instant.zero
    /// The time until which the lease is valid.
    private(set) var validUntil = Instant.zero
    /// The random number of the process that had the data directory before this one. It has ended.
    private let predecessor: UInt64?
    /// Another process that has the lease of this node's name, and the revision and the time of its last renewal.
    private(set) var rival: Rival?
    /// Called before the lease is written: fills in what the others have to know.
    var prepare: () -> Void = {}
    /// Called when the lease begins, ends, or is renewed.
    var changed: () -> Void = {}
    /// Reads `common` to its end, then calls the closure. Needed before a lease is taken.
    var readCommon: (@escaping () -> Void) -> Void = { $0() }

    private let log: any SharedLog
    private let executor: any Executor
    private let timing: NodeTiming
    private var others: [String: Observation] = [:]
    /// The times since which the leader of the log has said that a node has no lease.
    private var absent: [String: Instant] = [:]
    private var asked: Set<String> = []
    /// The revision of the own lease; nil if there is none.
    private var revision: UInt64?
    private var isRevisionKnown = false
    private var isRenewing = false
    private var isOpen = true
    private var subscription: LogSubscription?

    init(
        _ lease: Lease, after predecessor: UInt64?, _ log: any SharedLog, on executor: any Executor,
        _ timing: NodeTiming
    ) {
        self.lease = lease
        self.predecessor = predecessor
        self.log = log
        self.executor = executor
        self.timing = timing
    }

    private var now: Instant { executor.scheduler.now }

    /// True while the lease is valid.
    var isValid: Bool { now < validUntil }

    /// The leases that this node knows, its own first.
    var leases: [Lease] { [lease] + others.values.map(\.lease).sorted { $0.node < $1.node } }

    /// The nodes that live and are not draining, this one included.
    var candidates: [String] {
        var nodes = others.values.filter { $0.lease.state == .alive }.map(\.lease.node)
        if isValid, lease.state == .alive { nodes.append(lease.node) }
        return nodes
    }

    /// The others that live.
    var living: [Lease] { others.values.map(\.lease).filter { $0.state != .dead } }

    /// Returns true if another node does not live: another has declared it dead, or it has had no lease for a while.
    func isDead(_ node: String) -> Bool {
        if let other = others[node] { return other.lease.state == .dead }
        ask(about: node)
        return absent[node].map { now >= $0 + timing.patience } ?? false
    }

    /// Returns true if another node lives, as far as this one has seen.
    func isLiving(_ node: String) -> Bool {
        others[node].map { $0.lease.state != .dead && now < $0.changedAt + timing.patience } ?? false
    }

    /// Reads the lease of a node that this one has not observed.
    private func ask(about node: String) {
        guard isOpen, asked.insert(node).inserted else { return }
        let owned = Confined(self)
        log.lease(of: node) { result in
            owned.value.executor.post {
                let members = owned.value
                members.asked.remove(node)
                switch result {
                case .failure: break
                case .success(nil): members.noteAbsent(node)
                case .success(let stored?): members.observe(stored)
                }
            }
        }
    }

    private func noteAbsent(_ node: String) {
        others[node] = nil
        if absent[node] == nil { absent[node] = now }
    }

    // MARK: The own lease

    func open() {
        let owned = Confined(self)
        subscription = log.watchLeases { stored in
            owned.value.executor.post { owned.value.observe(stored) }
        }
        tick()
    }

    func close() {
        isOpen = false
        subscription = nil
        validUntil = .zero
    }

    private func tick() {
        guard isOpen else { return }
        renew()
        look()
        let scheduler = executor.scheduler
        scheduler.set(Alarm(at: scheduler.now + timing.renewal) { [weak self] _ in self?.tick() })
    }

    /// Renews the lease now.
    func renew() {
        guard isOpen, !isRenewing else { return }
        isRenewing = true
        guard isValid else {
            return readCommon { [weak self] in
                guard let self, isOpen else { return }
                findRevision()
            }
        }
        findRevision()
    }

    /// Reads the revision of the own lease if it is not known.
    private func findRevision() {
        if isRevisionKnown { return write() }
        let owned = Confined(self)
        log.lease(of: lease.node) { result in
            owned.value.executor.post {
                let members = owned.value
                guard members.isOpen else { return }
                guard case .success(let stored) = result else { return members.isRenewing = false }
                if let stored, stored.lease.state == .dead || stored.lease.instance != members.lease.instance {
                    members.endLease()
                    guard members.mayReplace(stored) else { return members.isRenewing = false }
                }
                members.rival = nil
                members.revision = stored?.revision
                members.isRevisionKnown = true
                members.write()
            }
        }
    }

    /// Returns true if this node may write its lease in place of one that another process wrote, or that another node
    /// has declared dead. A process that lives renews its lease.
    private func mayReplace(_ stored: StoredLease) -> Bool {
        let other = stored.lease
        if other.state == .dead || other.instance == lease.instance || other.instance == predecessor { return true }
        guard let known = rival else {
            rival = Rival(revision: stored.revision, since: now)
            return false
        }
        guard known.revision == stored.revision else {
            rival = Rival(revision: stored.revision, since: now, address: other.address)
            return false
        }
        return now >= known.since + timing.patience
    }

    private func write() {
        prepare()
        let sent = now
        let owned = Confined(self)
        log.renew(lease, after: revision) { result in
            owned.value.executor.post { owned.value.take(result, sent: sent) }
        }
    }

    private func take(_ result: Result<UInt64, LogFailure>, sent: Instant) {
        isRenewing = false
        guard isOpen else { return }
        switch result {
        case .success(let revision):
            self.revision = revision
            let wasValid = isValid
            validUntil = max(validUntil, sent + timing.validity)
            if !wasValid, isValid {
                epoch += 1
                validSince = now
            }
            changed()
        case .failure(let failure):
            isRevisionKnown = false
            // Another node has declared this one dead, or a process of the same name has the lease.
            if failure.kind == .refused { endLease() }
        }
    }

    private func endLease() {
        guard validUntil > .zero else { return }
        validUntil = .zero
        changed()
    }

    // MARK: The others

    private func observe(_ stored: StoredLease) {
        guard isOpen else { return }
        let node = stored.lease.node
        if node == lease.node {
            if stored.lease.instance != lease.instance || stored.lease.state == .dead, stored.revision != revision {
                isRevisionKnown = false
                if stored.lease.state == .dead { endLease() }
            }
            return
        }
        absent[node] = nil
        guard others[node]?.revision != stored.revision else { return }
        others[node] = Observation(lease: stored.lease, revision: stored.revision, changedAt: now)
        changed()
    }

    /// Declares those dead whose lease has not changed for a while.
    private func look() {
        // After a time without a leader of the leases the others renew theirs, too.
        guard isValid, now >= validSince + timing.returning else { return }
        for (node, other) in others
        where other.lease.state != .dead && !other.isLooking && now >= other.changedAt + timing.patience {
            others[node]?.isLooking = true
            let owned = Confined(self)
            log.lease(of: node) { result in
                owned.value.executor.post { owned.value.take(result, of: node, at: other.revision) }
            }
        }
    }

    private func take(_ result: Result<StoredLease?, LogFailure>, of node: String, at revision: UInt64) {
        guard isOpen else { return }
        others[node]?.isLooking = false
        switch result {
        case .failure: return
        case .success(nil):
            noteAbsent(node)
            changed()
        case .success(let stored?):
            guard stored.revision == revision else { return observe(stored) }
            var dead = stored.lease
            dead.state = .dead
            let owned = Confined((members: self, dead: dead))
            log.renew(dead, after: revision) { result in
                owned.value.members.executor.post {
                    // Only the node whose write is stored knows at once; the others see the change.
                    if case .success(let revision) = result {
                        owned.value.members.observe(StoredLease(owned.value.dead, revision: revision))
                    }
                }
            }
        }
    }
}
