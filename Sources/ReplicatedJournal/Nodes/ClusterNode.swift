internal import Ground
internal import Platform
internal import Reactive
internal import SQLiteJournal
internal import StateStore

/// A node of a cluster: its lanes, its lease, and what it serves to others. It runs on its executor.
final class ClusterNode: LaneHost {
    let executor: any Executor
    let log: any SharedLog
    let node: String
    let status: NodeStatus
    private let copy: any JournalCopy
    private let timing: NodeTiming
    private let warn: @Sendable (String) -> Void
    private let noteFault: FaultNote
    private(set) var lanes: [Lane: LaneReplica] = [:]
    let membership: Membership
    var randomness: Randomness
    var barriers: [Lane: Barrier] = [:]
    /// The promises about `common` while this node owns it, and the answers that wait for their ends.
    var promises = CommonPromises()
    var unseen: [UnseenAnswer] = []
    var unseenAlarm: Alarm?
    /// The last version of `common` that its owner was told to be applied here.
    var acknowledged = 0
    /// What this node serves while it owns a lane.
    var services: [Lane: [LogSubscription]] = [:]
    /// The times since which another node is the best of an owned lane.
    private var outdated: [Lane: Instant] = [:]
    /// The lanes that are being given up.
    private var releasing: Set<Lane> = []
    private var handedOver = Instant.zero
    private var connection: LogSubscription?
    private(set) var isOpen = false
    /// The number of the lease for which owned lanes are confirmed.
    private var epoch = 0
    /// The ends of owned lanes at earlier times, for the trim.
    private var ends: [Lane: [(at: Instant, number: Int)]] = [:]
    private var trimmed = Instant.zero
    /// The times at which lanes were last asked for another leader.
    private var movedLeaders: [Lane: Instant] = [:]
    /// The faults that last, with the time since they are there, and those that the log of the server knows.
    private var lasting: [NodeFault.Kind: Instant] = [:]
    private var knownFaults: Set<NodeFault.Kind> = []
    /// The time at which another server is tried if this node gets no lease, and the delay after it.
    private var movesOn = Instant.zero
    private var moveDelay = Duration.seconds(5)
    /// What this node serves while it runs: the commands of operators.
    var commands: [LogSubscription] = []
    let bases: BaseService
    /// Performs a forwarded action, on any thread.
    let act = Lock<ForwardedService?>(nil)
    /// Performs a call of another node's effect.
    var performOwn: OwnCallPerformer?
    /// Calls back once every store has taken the news that it was told before; nil without stores.
    var whenHeard: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
    /// The services about rows in memory only.
    var rowService: RowService?
    /// The times since which lanes are served.
    var servedSince: [Lane: Instant] = [:]
    /// The news about such rows for other processes.
    var pendingNews: [String: PendingNews] = [:]
    /// The processes that live, as this one was told.
    var livingProcesses: Set<String> = []

    init(
        _ lease: Lease, after predecessor: UInt64?, _ settings: ClusterSettings, _ copy: any JournalCopy,
        _ log: any SharedLog, on executor: any Executor, _ status: NodeStatus, rows: [CopyRow], seed: UInt64,
        _ timing: NodeTiming,
        warn: @escaping @Sendable (String) -> Void, noteFault: @escaping FaultNote,
        apart: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        bases = BaseService(copy, on: executor, apart: apart)
        (self.copy, self.log, self.executor, self.status) = (copy, log, executor, status)
        (self.timing, self.warn, self.noteFault) = (timing, warn, noteFault)
        node = lease.node
        membership = Membership(lease, after: predecessor, log, on: executor, timing)
        randomness = Randomness(seed: seed)
        let positions = Dictionary(rows.compactMap { LanePosition.read($0) }.map { ($0.lane, $0.position) }) { $1 }
        for lane in Lane.all(settings.lanes) {
            let position = positions[lane] ?? LanePosition()
            lanes[lane] = LaneReplica(lane, at: position, self)
            barriers[lane] = Barrier()
            status.contents.with { $0.recentKeys[lane] = RecentKeys(after: position.number) }
        }
    }

    // MARK: Life

    /// Follows all lanes, and takes a lease.
    func open() {
        isOpen = true
        for lane in lanes.values { publish(lane) }
        let owned = Confined(self)
        connection = log.watchConnection { isConnected in
            owned.value.executor.post {
                let node = owned.value
                node.status.contents.with { $0.isConnected = isConnected }
                guard isConnected, node.isOpen else { return }
                for lane in node.lanes.values { lane.start() }
            }
        }
        for lane in lanes.values { lane.start() }
        serveCommands()
        membership.changed = { [unowned self] in noteLease() }
        membership.prepare = { [unowned self] in
            membership.lease.applied = lanes.mapValues { $0.applied.number }
            membership.lease.owned = lanes.values.filter { $0.isOwned }.map(\.lane).sorted()
        }
        membership.readCommon = { [unowned self] body in readCommon(body) }
        membership.open()
        movesOn = executor.scheduler.now + timing.patience
        tick()
    }

    /// Ends everything. The outcome of what is under way is unknown.
    func close() {
        guard isOpen else { return }
        isOpen = false
        connection = nil
        services = [:]
        commands = []
        act.with { $0 = nil }
        performOwn = nil
        whenHeard = nil
        rowService = nil
        membership.close()
        for lane in lanes.values { lane.close() }
        unseen = []
        lanes = [:]
        status.contents.with {
            $0.isClosed = true
            $0.leaseUntil = 0
        }
    }

    private func tick() {
        guard isOpen else { return }
        lookAfterLanes()
        moveOn()
        place()
        trim()
        noteFaults()
        let scheduler = executor.scheduler
        scheduler.set(Alarm(at: scheduler.now + timing.placement) { [weak self] _ in self?.tick() })
    }

    /// Reads `common` to the end that its leader names, then runs `body`; later if there is no answer.
    private func readCommon(_ body: @escaping () -> Void) {
        guard let common = lanes[.common] else { return }
        let owned = Confined((node: self, lane: common, body: body))
        log.extent(of: .common) { result in
            owned.value.node.executor.post {
                let (node, lane, body) = owned.value
                guard node.isOpen else { return }
                if case .success(let extent) = result { return lane.whenApplied(extent.last, body) }
                let scheduler = node.executor.scheduler
                scheduler.set(Alarm(at: scheduler.now + .seconds(1)) { [weak node] _ in node?.readCommon(body) })
            }
        }
    }

    private func noteLease() {
        let (until, leases) = (membership.validUntil.nanoseconds, membership.leases)
        let isNew = membership.epoch != epoch
        epoch = membership.epoch
        status.contents.with { contents in
            // Fresh reads need an entry that was stored after the new lease began. Other threads must not see the new
            // lease beside what an earlier one has confirmed.
            if isNew { for lane in contents.lanes.keys { contents.lanes[lane]?.isConfirmed = false } }
            contents.leaseUntil = until
            contents.leases = leases
        }
        if isNew {
            for lane in lanes.values where lane.isOwned { confirm(lane) }
            // Their owners may have taken this node for dead.
            for lane in lanes.values where !lane.isOwned { tellOwner(of: lane) }
        }
        noteProcesses()
        place()
    }

    // MARK: Faults

    /// Compares the lanes with what other nodes have of them, and notes which have an owner that lives.
    private func lookAfterLanes() {
        let now = executor.scheduler.now
        var applied: [Lane: Int] = [:]
        for lease in membership.living { applied.merge(lease.applied) { max($0, $1) } }
        for lane in lanes.values {
            lane.noteApplied(elsewhere: applied[lane.lane] ?? 0, at: now)
            let hasOwner = lane.isOwned || lane.head.owner.map { $0 != node && membership.isLiving($0) } ?? false
            let waitsSince = lane.isOwned ? lane.waitsSince : nil
            status.contents.with { contents in
                let since = contents.lanes[lane.lane]?.ownerlessSince
                contents.lanes[lane.lane]?.ownerlessSince = hasOwner ? nil : since ?? now.nanoseconds
                contents.lanes[lane.lane]?.unwrittenSince = waitsSince
            }
        }
        status.contents.with { $0.rival = membership.rival?.address }
    }

    /// Writes a line when a kind of fault begins, and one when it is over. What comes and goes at once has none.
    private func noteFaults() {
        let (faults, now) = (status.faults, executor.scheduler.now)
        for fault in faults where fault.kind != .draining {
            let since = lasting[fault.kind] ?? now
            lasting[fault.kind] = since
            guard now >= since + timing.noticing, knownFaults.insert(fault.kind).inserted else { continue }
            noteFault(fault.description, false)
        }
        for kind in NodeFault.Kind.allCases where !faults.contains(where: { $0.kind == kind }) {
            lasting[kind] = nil
            if knownFaults.remove(kind) != nil { noteFault(kind.rawValue, true) }
        }
    }

    /// Tries another server if the present one takes no lease: it may be apart from the others.
    private func moveOn() {
        let now = executor.scheduler.now
        if membership.isValid {
            moveDelay = timing.patience
            movesOn = now + moveDelay
        } else if now >= movesOn {
            moveDelay = min(moveDelay * 2, .seconds(60))
            movesOn = now + moveDelay
            log.moveOn()
        }
    }

    func noteFull(_ lane: Lane) {
        let now = executor.scheduler.now
        guard now >= movedLeaders[lane] ?? .zero else { return }
        movedLeaders[lane] = now + timing.patience
        log.moveLeader(of: lane)
    }

    // MARK: Placement

    /// Claims the lanes whose best node this is and that have no living owner, and hands over those of others.
    func place() {
        guard isOpen, membership.isValid else { return }
        let candidates = membership.candidates
        let now = executor.scheduler.now
        for lane in lanes.values.sorted(by: { $0.lane < $1.lane }) where lane.halt == nil && lane.isAtEnd {
            let best = Placement.best(of: lane.lane, among: candidates)
            if lane.isOwned {
                handOver(lane, to: best, now)
            } else if membership.lease.state == .alive, !lane.isBusy, !lane.isStalled {
                let owner = lane.head.owner
                // An earlier process of this node may have owned the lane.
                let isFree = owner == nil || owner == node || owner.map { membership.isDead($0) } ?? true
                if isFree, best == node || owner == node { lane.claim() }
            }
        }
    }

    private func handOver(_ lane: LaneReplica, to best: String?, _ now: Instant) {
        guard !releasing.contains(lane.lane) else { return }
        if membership.lease.state == .draining { return release(lane) }
        guard let best, best != node else { return outdated[lane.lane] = nil }
        let since = outdated[lane.lane] ?? now
        outdated[lane.lane] = since
        guard now >= since + timing.settling, now >= handedOver + timing.handover else { return }
        handedOver = now
        release(lane)
    }

    private func release(_ lane: LaneReplica) {
        releasing.insert(lane.lane)
        outdated[lane.lane] = nil
        // No fresh answers from here on: another node may commit as soon as the entry is stored.
        status.contents.with { $0.lanes[lane.lane]?.isConfirmed = false }
        lane.add([.release])
    }

    /// Hands all lanes over. The lease says so until the node ends.
    func drain() {
        guard membership.lease.state == .alive else { return }
        membership.lease.state = .draining
        status.contents.with { $0.isDraining = true }
        membership.renew()
        place()
    }

    /// True once no lane is owned here.
    var isDrained: Bool { lanes.values.allSatisfy { !$0.isOwned } }

    private func confirm(_ lane: LaneReplica) {
        let (name, epoch) = (lane.lane, membership.epoch)
        status.contents.with { $0.lanes[name]?.isConfirmed = false }
        lane.add([
            .mark { [unowned self] in
                guard let whenHeard else { return confirm(name, of: epoch, status.claims) }
                let (owned, claims) = (Confined(self), status.claims)
                // The stores may not have taken yet what the owners before have committed.
                whenHeard { owned.value.executor.post { owned.value.confirm(name, of: epoch, claims) } }
            }
        ])
    }

    /// Lets this node answer fresh reads of a lane, unless its lease or its claims have changed.
    private func confirm(_ lane: Lane, of epoch: Int, _ claims: Int) {
        guard isOpen, epoch == membership.epoch, !releasing.contains(lane), lanes[lane]?.isOwned == true,
            status.lanes[lane].map({ $0.claim <= claims }) ?? false
        else { return }
        status.contents.with { $0.lanes[lane]?.isConfirmed = true }
    }

    // MARK: The host of lanes

    func nextBatch() -> BatchID { BatchID.random(using: &randomness) }

    func isRead(_ format: UInt8) -> Bool {
        ([membership.lease] + membership.living).allSatisfy { $0.formats.contains(format) }
    }

    func fits(_ commits: [CommitRecord]) throws(JournalFailure) -> [AppendResult] { try copy.fits(commits) }

    func apply(_ steps: [LaneStep], of lane: Lane, _ position: LanePosition) throws(JournalFailure) {
        var changes: [CopyStep] = []
        var rows: [CopyRow] = []
        var lifeBase = status.contents.with { $0.lives.base }
        var later: ClusterSettings?
        for step in steps {
            let place = LogPlace(lane: lane.index, number: step.number)
            switch step.change {
            case .commits(let commits): changes.append(.commits(commits, at: place))
            case .forget(let space):
                changes.append(.forget(space, at: place))
                rows.append(CopyLives.row(of: space, life: lifeBase + step.number))
            case .settings(let settings):
                rows.append(settings.row)
                (later, lifeBase) = (settings, settings.lifeBase)
            }
        }
        let lifeRows = rows
        rows.append(position.row(of: lane))
        try copy.apply(changes, rows: rows)
        status.contents.with { contents in
            for step in steps {
                guard case .commits(let commits) = step.change else { continue }
                contents.recentKeys[lane]?.take(commits, entry: step.number)
            }
        }
        if lane == .common { noteCommon(steps) }
        if !lifeRows.isEmpty {
            // In place: a copy of the lives takes O(deleted spaces).
            status.contents.with { contents in
                if let later { contents.lives.take(later) }
                for row in lifeRows { contents.lives.take(row) }
            }
        }
        tell(steps)
    }

    /// Notes the version of `common` that the stores are told of, before its owner hears that it was applied.
    private func noteCommon(_ steps: [LaneStep]) {
        for step in steps {
            switch step.change {
            case .commits(let commits):
                guard let version = commits.last?.version else { continue }
                status.contents.with { $0.common.version = version }
            // The versions begin anew.
            case .forget: status.contents.with { $0.common.isOrdered = false }
            case .settings: break
            }
        }
    }

    /// Tells the stores what other nodes have changed.
    private func tell(_ steps: [LaneStep]) {
        let news = steps.compactMap { step -> JournalNews? in
            if step.isOwn { return nil }
            switch step.change {
            case .commits(let commits):
                let kept = commits.filter { !$0.facts.isEmpty }
                return kept.isEmpty ? nil : .commits(kept)
            case .forget(let space): return .forgotten(space)
            case .settings: return nil
            }
        }
        guard !news.isEmpty else { return }
        let followers = status.contents.with { contents in
            contents.followers.sorted { $0.key < $1.key }.map(\.value)
        }
        for event in news { for follower in followers { follower(event) } }
    }

    func noteOwner(of lane: Lane) {
        guard let replica = lanes[lane] else { return }
        if replica.isOwned {
            status.contents.with { contents in
                contents.claims += 1
                contents.lanes[lane, default: NodeStatus.LaneState()].claim = contents.claims
                contents.lanes[lane]?.term = replica.head.term
            }
            outdated[lane] = nil
            releasing.remove(lane)
            if lane == .common { promises.begin(at: executor.scheduler.now) }
            serve(lane)
        } else {
            services[lane] = nil
            releasing.remove(lane)
        }
        publish(replica)
        tellOwner(of: replica)
        if replica.isOwned { confirm(replica) }
        let owned = Confined(self)
        executor.post { owned.value.place() }
    }

    private func tellOwner(of replica: LaneReplica) {
        let watchers = status.contents.with { $0.ownerWatchers }
        for watcher in watchers { watcher(replica.lane, replica.isOwned) }
    }

    func noteProgress(of lane: Lane) {
        guard let replica = lanes[lane] else { return }
        publish(replica)
        if lane == .common { acknowledgeCommon() }
    }

    func noteHalt(of lane: Lane, _ reason: String) {
        if isOpen { warn("lane \(lane) has stopped: \(reason)") }
        if let replica = lanes[lane] { publish(replica) }
    }

    func note(_ outcome: AppendOutcome, seconds: Double) {
        status.contents.with {
            $0.appends[outcome, default: 0] += 1
            if outcome == .kept { $0.appendSeconds.add(seconds) }
        }
    }

    private func publish(_ replica: LaneReplica) {
        let now = executor.scheduler.now.nanoseconds
        let (head, applied, end) = (replica.head, replica.applied.number, replica.knownEnd ?? 0)
        let (isOwned, isAtEnd, halt) = (replica.isOwned, replica.isAtEnd, replica.halt)
        let isUnsure = replica.isUnsure
        let isBehind = replica.isStalled || !isAtEnd || applied < end
        status.contents.with { contents in
            var state = contents.lanes[replica.lane] ?? NodeStatus.LaneState()
            state.owner = head.owner
            state.isOwned = isOwned
            if !isOwned { state.isConfirmed = false }
            state.applied = applied
            state.end = max(end, head.number)
            state.isAtEnd = isAtEnd
            state.halt = halt
            state.isUnsure = isUnsure
            state.behindSince = isBehind ? state.behindSince ?? now : nil
            contents.lanes[replica.lane] = state
        }
    }

    // MARK: Retention

    /// Removes entries from the log that are older than the retention and that all nodes with a lease have applied.
    private func trim() {
        let now = executor.scheduler.now
        guard now >= trimmed + max(.seconds(10), timing.retention / 24) else { return }
        trimmed = now
        for lane in lanes.values {
            guard lane.isOwned, membership.isValid else {
                ends[lane.lane] = nil
                continue
            }
            ends[lane.lane, default: []].append((now, lane.applied.number))
            let old = ends[lane.lane, default: []].last { $0.at + timing.retention <= now }
            guard let old else { continue }
            ends[lane.lane]?.removeAll { $0.at < old.at }
            let others = membership.living.map { $0.applied[lane.lane] ?? 0 }
            let number = min(old.number, others.min() ?? old.number)
            if number > 0 { log.trim(lane.lane, upTo: number) { _ in } }
        }
    }
}

/// The requests for a fresh read of a lane that another node owns.
///
/// One question to the owner is under way at a time. A request that comes meanwhile waits for the next one: the owner
/// may have answered before the commits that the request must see.
final class Barrier {
    private var asked: [TimedWait] = []
    private var waiting: [TimedWait] = []
    private(set) var isAsking = false
    /// True if the owner is to be told what was applied, also if nobody waits for its answer.
    var isOwed = false

    func add(_ waiter: TimedWait) {
        waiting.append(waiter)
    }

    /// Begins a question. Returns false if one is under way, or if there is no reason for one.
    func begin() -> Bool {
        waiting.removeAll { $0.isOver }
        guard !isAsking, isOwed || !waiting.isEmpty else { return false }
        isAsking = true
        isOwed = false
        asked = waiting
        waiting = []
        return true
    }

    /// Ends a question, and returns those that it was asked for.
    func answered() -> [TimedWait] {
        isAsking = false
        defer { asked = [] }
        return asked
    }

    /// Ends a question without an answer: it must be asked again.
    func failed() {
        isAsking = false
        waiting = asked.filter { !$0.isOver } + waiting
        asked = []
    }
}

/// The answers to actions of `common`: they wait until the nodes that were promised so have applied the commits.
extension ClusterNode {
    /// An answer that waits.
    struct UnseenAnswer {
        let version: Int
        let began: Instant
        let body: () -> Void
    }

    /// Runs `body` once a version of `common` can be answered; never if the node closes before.
    func whenSeen(_ version: Int, _ body: @escaping () -> Void) {
        unseen.append(UnseenAnswer(version: version, began: executor.scheduler.now, body: body))
        answerSeen()
    }

    /// Answers what waits and need not any more.
    func answerSeen() {
        guard isOpen else { return unseen.removeAll() }
        let scheduler = executor.scheduler
        let now = scheduler.now
        var next: Instant?
        var ready: [UnseenAnswer] = []
        unseen.removeAll { answer in
            if let end = promises.end(of: answer.version, at: now) {
                next = min(next ?? end, end)
                return false
            }
            ready.append(answer)
            return true
        }
        if let next, unseenAlarm == nil {
            let alarm = Alarm(at: next) { [weak self] _ in
                self?.unseenAlarm = nil
                self?.answerSeen()
            }
            unseenAlarm = alarm
            scheduler.set(alarm)
        }
        for answer in ready {
            let seconds = Double((now - answer.began).wholeNanoseconds) / 1e9
            status.contents.with { $0.commonSeconds.add(seconds) }
            answer.body()
        }
    }

    /// Tells the owner of `common` that this node has applied a version, if the owner may wait for that.
    func acknowledgeCommon() {
        guard let common = lanes[.common], !common.isOwned, status.common.version > acknowledged, status.hasPromise
        else {
            return
        }
        barriers[.common]?.isOwed = true
        ask(.common)
    }
}

/// Fresh reads on a node that does not own the lane.
extension ClusterNode {
    /// The time between two questions if an owner does not answer.
    private static let retryDelay = Duration.milliseconds(50)

    /// Calls `done` with true once this node has applied everything that any node has answered of some lanes before
    /// this call, or with false after `patience`. If `isStrict`, also what other nodes have only shown, of lanes of this
    /// node and of `common` too.
    func whenFresh(
        _ lanes: [Lane], within patience: Duration, isStrict: Bool = false, _ done: @escaping (Bool) -> Void
    ) {
        let (missing, began) = (lanes.filter { isStrict || !isKnownFresh($0) }, executor.scheduler.now)
        let done: (Bool) -> Void = { [executor, status] isFresh in
            let seconds = Double((executor.scheduler.now - began).wholeNanoseconds) / 1e9
            status.contents.with { $0.barrierSeconds.add(seconds) }
            done(isFresh)
        }
        guard !missing.isEmpty else { return done(true) }
        var left = missing.count
        for lane in missing {
            wait(for: lane, within: patience) { isFresh in
                guard left > 0 else { return }
                left = isFresh ? left - 1 : 0
                if left == 0 { done(isFresh) }
            }
        }
    }

    private func wait(for lane: Lane, within patience: Duration, _ done: @escaping (Bool) -> Void) {
        guard let barrier = barriers[lane] else { return done(false) }
        let scheduler = executor.scheduler
        barrier.add(TimedWait(until: scheduler.now + patience, on: scheduler, done))
        ask(lane)
    }

    /// Returns true if no question about a lane is needed.
    private func isKnownFresh(_ lane: Lane) -> Bool {
        status.isFresh([lane]) || lane == .common && status.hasPromise
    }

    /// Asks the owner of a lane for its last kept number. The owner of `common` also promises something.
    func ask(_ lane: Lane) {
        guard let barrier = barriers[lane], let replica = lanes[lane], barrier.begin() else { return }
        let (owned, began) = (Confined(self), executor.scheduler.now)
        if status.isFresh([lane]) { return conclude(lane, replica.possibleEnd, began) }
        let version = status.common.version
        if lane == .common { acknowledged = version }
        let question = FreshQuestion(node: node, applied: replica.applied.number, common: version)
        log.ask("at.\(lane)", question.bytes, timeout: .seconds(1)) { result in
            owned.value.executor.post {
                // A failure, and an owner that must not answer, leave no number: the question is asked again.
                owned.value.conclude(lane, (try? result.get()).flatMap(FreshQuestion.number), began)
            }
        }
    }

    private func conclude(_ lane: Lane, _ number: Int?, _ began: Instant) {
        guard let barrier = barriers[lane], let replica = lanes[lane] else { return }
        // A lane that applies nothing would gather waiters without end: here each of them ends by its own patience.
        if let number, !replica.isStuck {
            let waiters = barrier.answered()
            replica.whenApplied(number) { [status] in
                if lane == .common, !replica.isOwned { status.notePromise(until: began + CommonPromises.duration) }
                for waiter in waiters { waiter.end(true) }
            }
            return ask(lane)
        }
        barrier.failed()
        let scheduler = executor.scheduler
        scheduler.set(Alarm(at: scheduler.now + Self.retryDelay) { [weak self] _ in self?.ask(lane) })
    }
}

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
