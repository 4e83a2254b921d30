internal import Ground
internal import Reactive
internal import SQLiteJournal
internal import StateStore

/// One lane on one node: it reads the entries of the log in their order, applies them to the copy, and appends entries
/// while the node owns the lane.
///
/// All methods run on the executor of the host. At most one entry is under way. It is sent for one slot of the log
/// until something is stored there: the entry itself, or another that was first. So its outcome is always known by what
/// is stored.
final class LaneReplica {
    /// The maximum number of commits in a batch, and of bytes after which it takes no more.
    static let batchLimit = 4_096
    static let batchBytes = 256 * 1_024
    /// The delays before a failed call is repeated.
    static let retryDelays: [Duration] = [
        .milliseconds(20), .milliseconds(100), .milliseconds(250), .milliseconds(500),
    ]

    /// The number of answers, one each second, by which a log that ends too early may still be an old leader's. Such a
    /// leader gives up after ten seconds.
    static let shortfallsLimit = 12
    /// The time for which entries that other nodes have applied may be on their way.
    static let missingPatience = Duration.seconds(2)

    let lane: Lane
    /// The node. It releases its lanes when it closes, which ends the cycle.
    let host: any LaneHost
    /// The position after the last entry that was read.
    private(set) var head: LanePosition
    /// The position that the copy has stored. It is behind `head` while parts of a batch are missing.
    private(set) var applied: LanePosition
    /// The number that the copy has stored.
    private(set) var stored: Int
    /// True if the last claim is by this process.
    private(set) var isOwned = false
    /// True once the lane was read to an end that the leader of the log has named.
    private(set) var isAtEnd = false
    /// The reason that the lane has stopped; nil while it goes on.
    private(set) var halt: String?
    /// True while the copy cannot store what was read.
    private(set) var isStalled = false
    /// The end that the leader of the log has named; nil before.
    private(set) var knownEnd: Int?

    var queue = Fifo<LaneRequest>()
    var attempt: LaneAttempt?
    /// The entries of claims by this process that may still be stored.
    var claims: Set<BatchID> = []
    var fences = GenerationFences()
    private var tokens = 0
    private var partial: PartialBatch?
    /// The steps that were read and not applied, and the attempt that ends when they are.
    private var steps: [LaneStep] = []
    private var finished: LaneAttempt?
    private var subscription: LogSubscription?
    private var follows = 0
    private var isStarting = false
    /// The number of answers in a row by which the log ends before the position.
    private var shortfalls = 0
    private(set) var waiters: [(number: Int, body: () -> Void)] = []
    /// The position that has stayed while other nodes applied more, and the time since then.
    private var missing: (head: Int, since: Instant)?
    /// The number that others had applied when the lane was last followed anew.
    private var claimed = 0
    /// The highest such number that the log did not have: others are ahead of it, and no entry is missing here.
    private var unfounded = 0

    init(_ lane: Lane, at position: LanePosition, _ host: any LaneHost) {
        self.lane = lane
        self.host = host
        head = position
        applied = position
        stored = position.number
    }

    /// True if an entry of this node may be under way, or waits.
    var isBusy: Bool { attempt != nil || finished != nil || !queue.isEmpty }
    /// True if it is not known what the log has stored in a slot.
    var isUnsure: Bool { attempt?.isUnsure ?? false }

    /// The time since which an entry waits to be stored; nil for none.
    var waitsSince: Int64? { attempt?.began }

    /// The number of the last entry that may be stored. Another node may have applied the entry under way already.
    var possibleEnd: Int { max(applied.number, attempt?.slot ?? 0) }

    /// True while the lane applies nothing, however long one waits for it.
    var isStuck: Bool { halt != nil || isStalled }

    /// Runs `body` on the executor, later and only while the node is open.
    func post<Value: Sendable>(_ value: Value, _ body: @escaping (LaneReplica, Value) -> Void) {
        let owned = Confined((lane: self, body: body))
        host.executor.post { owned.value.body(owned.value.lane, value) }
    }

    func after(_ delay: Duration, _ body: @escaping () -> Void) {
        let scheduler = host.executor.scheduler
        scheduler.set(Alarm(at: scheduler.now + delay) { _ in body() })
    }

    func nextToken() -> Int {
        tokens += 1
        return tokens
    }

    // MARK: Following

    /// Compares the position with the log, and follows it. Call it again whenever the connection was lost.
    func start() {
        guard !isStarting, halt == nil else { return }
        isStarting = true
        // Entries that arrive before the answer are not part of it.
        let (owned, number) = (Confined(self), head.number)
        host.log.extent(of: lane) { result in
            owned.value.post(result) { lane, result in lane.begin(result, after: number) }
        }
    }

    private func begin(_ result: Result<LaneExtent, LogFailure>, after number: Int) {
        isStarting = false
        guard halt == nil else { return }
        switch result {
        case .failure(let failure) where failure.kind == .unusable: stop("\(failure)")
        case .failure: after(.seconds(1)) { [weak self] in self?.start() }
        case .success(let extent):
            if head.identity.isEmpty { head.identity = extent.identity }
            if applied.identity.isEmpty { applied.identity = extent.identity }
            // `headwater cluster repair` makes a lane anew after an entry of a node.
            if extent.identity != head.identity, extent.first > 1, extent.first == head.number + 1,
                number == head.number
            {
                (head.identity, applied.identity) = (extent.identity, extent.identity)
                subscription = nil
            }
            guard extent.identity == head.identity else {
                return stop(
                    "the stored lane was made anew, so entries that this node has applied may be lost: if it was repaired from another node, start this one again"
                )
            }
            guard extent.last >= number else {
                shortfalls += 1
                // A server that was cut off leads its old stream for seconds, and does not know the newest entries.
                if shortfalls <= Self.shortfallsLimit { return after(.seconds(1)) { [weak self] in self?.start() } }
                return stop("the log ends at \(extent.last), but this node has applied \(number)")
            }
            shortfalls = 0
            guard extent.first <= head.number + 1 else {
                return stop(
                    "the log begins at \(extent.first), but this node needs \(head.number + 1): start it again, and it takes a base from another node"
                )
            }
            knownEnd = max(knownEnd ?? 0, extent.last)
            if extent.last < claimed { unfounded = claimed }
            noteEnd()
            if extent.last > head.number { host.noteProgress(of: lane) }
            if subscription == nil { follow() }
        }
    }

    /// Notes that other nodes have applied the entry of a number. If it does not arrive, the lane is followed anew: the
    /// server that delivers it may have stopped, and does not say so.
    func noteApplied(elsewhere number: Int, at now: Instant) {
        guard number > max(head.number, unfounded), subscription != nil, halt == nil, !isStalled else {
            return missing = nil
        }
        guard let missing, missing.head == head.number else { return missing = (head.number, now) }
        guard now >= missing.since + Self.missingPatience else { return }
        self.missing = nil
        claimed = number
        subscription = nil
        start()
    }

    private func follow() {
        follows += 1
        let number = follows
        let owned = Confined(self)
        subscription = host.log.follow(lane, after: head.number) { result in
            owned.value.post(result) { lane, result in
                guard lane.follows == number else { return }
                lane.receive(result)
            }
        }
    }

    private func receive(_ result: Result<[StoredEntry], LogFailure>) {
        switch result {
        case .success(let entries): receive(entries)
        case .failure(let failure):
            subscription = nil
            if failure.kind == .unreachable {
                after(.seconds(1)) { [weak self] in self?.start() }
            } else {
                stop("\(failure)")
            }
        }
    }

    private func receive(_ entries: [StoredEntry]) {
        for entry in entries where entry.number > head.number {
            guard halt == nil, !isStalled else { return }
            guard entry.number == head.number + 1 else {
                subscription = nil
                return start()
            }
            read(entry.bytes)
        }
        settle()
    }

    // MARK: Reading

    /// Reads the entry of the next number. Precondition: it is stored.
    func read(_ bytes: [UInt8]) {
        guard halt == nil, !isStalled else { return }
        let entry: LogEntry
        do throws(EntryFault) {
            if let attempt, attempt.bytes == bytes, let own = attempt.entry {
                head.number += 1
                head.chain = attempt.chain
                if attempt.isLastPart, case .commits(let submissions) = attempt.purpose {
                    add(.commits(submissions.map(\.record)), own)
                } else if case .batch = own.kind {
                    // The last part adds the commits.
                } else {
                    try take(own)
                }
                if attempt.isLastPart { applied = head }
                return conclude(own, bytes)
            }
            guard let (found, chain) = try LogEntry.decode(bytes, after: head.chain), found.lane == lane else {
                return stop(
                    "entry \(head.number + 1) does not follow from the entries that this node has applied: the log has lost or changed some"
                )
            }
            entry = found
            head.number += 1
            head.chain = chain
            try take(entry)
        } catch {
            return stop("entry \(head.number + 1) cannot be read (\(error)): a newer program may have written it")
        }
        if partial == nil, !isWithinOwnBatch(entry) { applied = head }
        conclude(entry, bytes)
    }

    /// Returns true if an entry of another lies between the parts of an own batch: the copy needs the parts before it
    /// if it starts again. A claim voids the batch.
    private func isWithinOwnBatch(_ entry: LogEntry) -> Bool { entry.kind != .claim && (attempt?.part ?? 0) > 0 }

    private func take(_ entry: LogEntry) throws(EntryFault) {
        switch entry.kind {
        case .claim:
            partial = nil
            head.term = entry.term
            head.owner = entry.node
        case .release:
            if entry.node == head.owner { head.owner = nil }
        case .mark: break
        case .forget:
            guard let space = SpaceName(String(decoding: entry.content, as: UTF8.self)) else { throw .malformed }
            add(.forget(space), entry)
        case .settings: add(.settings(try ClusterSettings(bytes: entry.content)), entry)
        case .batch:
            if entry.parts == 1 {
                partial = nil
                return add(.commits(try CommitCoding.read(entry.content)), entry)
            }
            if entry.part == 0 {
                partial = PartialBatch(entry)
                return
            }
            guard var batch = partial, batch.add(entry) else {
                // The parts before were voided by a claim.
                partial = nil
                return
            }
            partial = batch
            guard batch.isWhole else { return }
            partial = nil
            add(.commits(try CommitCoding.read(batch.content)), entry)
        }
    }

    private func add(_ change: LaneStep.LogChange, _ entry: LogEntry) {
        steps.append(LaneStep(number: head.number, change: change, isOwn: attempt?.batch == entry.batch))
    }

    /// Ends the attempt for this slot, or takes it to the next one.
    private func conclude(_ entry: LogEntry, _ bytes: [UInt8]) {
        if entry.kind == .claim || entry.kind == .release { noteOwner(entry) }
        guard var attempt, attempt.slot == head.number else { return }
        attempt.token = nextToken()
        attempt.failures = 0
        attempt.isUnsure = false
        if attempt.bytes == bytes {
            attempt.part += 1
            if attempt.part < attempt.parts.count {
                self.attempt = attempt
                return send()
            }
            self.attempt = nil
            finished = attempt
            return settle()
        }
        // Another entry was first. If the lane is still of this node, the entry is sent for the next slot.
        host.note(.moved, seconds: 0)
        self.attempt = attempt
        if case .claim = attempt.purpose {
            // Another node may have claimed. The placement decides again.
            self.attempt = nil
            host.noteProgress(of: lane)
            return
        }
        if isOwned { send() } else { lose() }
    }

    private func noteOwner(_ entry: LogEntry) {
        let wasOwned = isOwned
        isOwned = entry.kind == .claim && claims.contains(entry.batch)
        claims.remove(entry.batch)
        // The entry under way is settled first, because this one may be it.
        if wasOwned, !isOwned, attempt?.slot != head.number { lose() }
        settle()
        host.noteOwner(of: lane)
    }

    // MARK: Applying

    /// Applies what was read, and reports the outcome of the own entry.
    func settle() {
        guard !isStalled, halt == nil else { return }
        if applied.number != stored {
            let taken = steps
            do throws(JournalFailure) {
                try host.apply(taken, of: lane, applied)
            } catch {
                if error.kind == .damaged { return stop(error.description) }
                isStalled = true
                host.noteProgress(of: lane)
                return after(.seconds(1)) { [weak self] in self?.resume() }
            }
            steps = []
            stored = applied.number
        }
        finish()
        noteEnd()
        runWaiters()
        host.noteProgress(of: lane)
        if attempt == nil { next() }
    }

    private func resume() {
        guard isStalled, halt == nil else { return }
        isStalled = false
        settle()
        guard !isStalled else { return }
        subscription = nil
        start()
    }

    /// Reports the outcome of the own entry that is stored and applied.
    private func finish() {
        guard let attempt = finished else { return }
        finished = nil
        host.note(.kept, seconds: Double(host.executor.scheduler.now.nanoseconds - attempt.began) / 1e9)
        switch attempt.purpose {
        case .commits(let submissions): Submission.report(submissions, submissions.map { _ in .stored })
        case .forget(_, let done): done(.success(true))
        case .mark(let done): done()
        case .release, .claim: break
        }
    }

    private func noteEnd() {
        guard !isAtEnd, let knownEnd, head.number >= knownEnd else { return }
        isAtEnd = true
        host.noteProgress(of: lane)
    }

    /// Runs `body` once the copy has applied the entry of a number.
    func whenApplied(_ number: Int, _ body: @escaping () -> Void) {
        if stored >= number { body() } else { waiters.append((number, body)) }
    }

    private func runWaiters() {
        let ready = waiters.filter { $0.number <= stored }
        guard !ready.isEmpty else { return }
        waiters.removeAll { $0.number <= stored }
        for waiter in ready { waiter.body() }
    }

    // MARK: Stopping

    /// Stops the lane until an operator has acted. Entries under way have no known outcome.
    func stop(_ reason: String) {
        guard halt == nil else { return }
        halt = reason
        subscription = nil
        let failure = JournalFailure(.outcomeUnknown, reason)
        let wasOwned = isOwned
        isOwned = false
        let ended = (finished ?? attempt).map { [$0.purpose] } ?? []
        attempt = nil
        finished = nil
        for purpose in ended { end(purpose, failure) }
        drop(failure)
        waiters = []
        host.noteHalt(of: lane, reason)
        if wasOwned { host.noteOwner(of: lane) }
    }

    /// Ends the subscription, when the node closes. What is under way has no known outcome.
    func close() {
        if halt == nil { stop("the node was closed") }
    }

    /// Reports that another node has taken the lane: nothing that was not stored ever will be.
    private func lose() {
        let purpose = attempt?.purpose
        attempt = nil
        if let purpose { end(purpose, nil) }
        drop(nil)
    }
}

/// The parts of a batch that were read so far.
struct PartialBatch {
    let batch: BatchID
    let parts: Int
    private(set) var content: [UInt8]
    private(set) var next = 1

    /// Begins a batch with its first part.
    init(_ entry: LogEntry) {
        batch = entry.batch
        parts = entry.parts
        content = entry.content
    }

    /// Adds a part. Returns false if it is not the next one.
    mutating func add(_ entry: LogEntry) -> Bool {
        guard entry.batch == batch, entry.parts == parts, entry.part == next else { return false }
        content += entry.content
        next += 1
        return true
    }

    var isWhole: Bool { next == parts }
}
