internal import Ground
internal import Reactive
internal import StateStore

/// Appending to a lane that the node owns.
extension LaneReplica {
    /// Adds requests, in their order.
    func add(_ requests: [LaneRequest]) {
        for request in requests { queue.append(request) }
        next()
    }

    /// Claims the lane. Precondition: the lane is read to its end.
    func claim() {
        guard attempt == nil, !isOwned, halt == nil, !isStalled else { return }
        begin(.claim, .claim, [[]])
    }

    /// Forms the next entry, if none is under way.
    func next() {
        guard attempt == nil, halt == nil, !isStalled, !queue.isEmpty else { return }
        guard isOwned else { return drop(nil) }
        switch queue.popFirst() {
        case .commit(let submission): gather(submission)
        case .forget(let space, let done):
            begin(.forget, .forget(space, done), [Array(space.description.utf8)])
        case .mark(let done): begin(.mark, .mark(done), [[]])
        case .release: begin(.release, .release, [[]])
        case nil: break
        }
    }

    /// Makes a batch of a commit and those that wait behind it.
    private func gather(_ first: Submission) {
        var candidates = [first]
        while candidates.count < Self.batchLimit, case .commit(let submission)? = queue.first {
            _ = queue.popFirst()
            candidates.append(submission)
        }
        let open = candidates.filter { !fences.isEnded($0) }
        let results: [AppendResult]
        do throws(JournalFailure) {
            results = try host.fits(open.map(\.record))
        } catch {
            for submission in candidates { fences.end(submission) }
            Submission.report(candidates, candidates.map { _ in .failed(error) })
            return next()
        }
        var fitting: [Submission] = []
        var others = candidates.filter { fences.isEnded($0) }
        var parts = PartsWriter()
        var rest: ArraySlice<Submission> = []
        var unreadable: [Submission] = []
        for (index, (submission, result)) in zip(open, results).enumerated() {
            guard result == .kept, !fences.isEnded(submission) else {
                fences.end(submission)
                others.append(submission)
                continue
            }
            guard parts.size < Self.batchBytes || fitting.isEmpty else {
                rest = open[index...]
                break
            }
            let format = CommitCoding.format(of: submission.record)
            guard format == LogEntry.firstFormat || host.isRead(format) else {
                fences.end(submission)
                unreadable.append(submission)
                continue
            }
            parts.add(submission.record)
            fitting.append(submission)
        }
        if !rest.isEmpty {
            var queue = Fifo<LaneRequest>()
            for submission in rest { queue.append(.commit(submission)) }
            while let request = self.queue.popFirst() { queue.append(request) }
            self.queue = queue
        }
        Submission.report(unreadable, unreadable.map { _ in .failed(.unreadable) })
        if !others.isEmpty { Submission.report(others, others.map { _ in .moved }) }
        guard !fitting.isEmpty else { return next() }
        begin(.batch, .commits(fitting), parts.parts, parts.format)
    }

    private func begin(
        _ kind: LogEntry.Kind, _ purpose: LaneAttempt.Purpose, _ parts: [[UInt8]],
        _ format: UInt8 = LogEntry.firstFormat
    ) {
        let batch = host.nextBatch()
        if kind == .claim { claims.insert(batch) }
        attempt = LaneAttempt(
            purpose: purpose, batch: batch, parts: parts, format: format,
            began: host.executor.scheduler.now.nanoseconds)
        send()
    }

    /// Sends the part under way for the slot after the head.
    func send() {
        guard var attempt else { return }
        let kind: LogEntry.Kind =
            switch attempt.purpose {
            case .commits: .batch
            case .forget: .forget
            case .mark: .mark
            case .release: .release
            case .claim: .claim
            }
        let entry = LogEntry(
            lane: lane, kind: kind, term: kind == .claim ? head.term + 1 : head.term, node: host.node,
            batch: attempt.batch, part: attempt.part, parts: attempt.parts.count, content: attempt.parts[attempt.part],
            format: attempt.format)
        (attempt.bytes, attempt.chain) = entry.encoded(after: head.chain)
        attempt.entry = entry
        attempt.slot = head.number + 1
        attempt.isUnsure = false
        self.attempt = attempt
        post()
    }

    /// Appends the entry under way to its slot, the first time or again: one slot takes one entry.
    private func post() {
        guard var attempt else { return }
        attempt.token = nextToken()
        self.attempt = attempt
        let (token, owned) = (attempt.token, Confined(self))
        host.log.append(attempt.bytes, to: lane, after: attempt.slot - 1) { result in
            owned.value.post(result) { lane, result in lane.answered(token, result) }
        }
    }

    private func answered(_ token: Int, _ result: Result<Int, LogFailure>) {
        guard let attempt, attempt.token == token else { return }
        switch result {
        case .success(let number) where number == attempt.slot: read(attempt.bytes)
        case .failure(let failure) where failure.kind == .refused && attempt.failures == 0: doubt(after: .zero)
        case .failure(let failure):
            if failure.kind == .full, attempt.failures > 0 { host.noteFull(lane) }
            doubt()
        case .success: doubt()
        }
    }

    /// Notes that the outcome is unknown, and looks at the slot.
    private func doubt(after least: Duration? = nil) {
        guard var attempt else { return }
        if !attempt.isUnsure { host.note(.unsure, seconds: 0) }
        attempt.isUnsure = true
        attempt.failures += 1
        attempt.token = nextToken()
        self.attempt = attempt
        let token = attempt.token
        let delay = least ?? Self.retryDelays[min(attempt.failures - 1, Self.retryDelays.count - 1)]
        after(delay) { [weak self] in
            guard let self, self.attempt?.token == token else { return }
            look()
        }
    }

    /// Reads the slot of the entry under way. If nothing is stored there, the same entry is appended again.
    private func look() {
        guard var attempt else { return }
        attempt.token = nextToken()
        self.attempt = attempt
        let (token, owned) = (attempt.token, Confined(self))
        host.log.entry(attempt.slot, of: lane) { result in
            owned.value.post(result) { lane, result in
                guard lane.attempt?.token == token else { return }
                switch result {
                case .success(let bytes?): lane.read(bytes)
                case .success(nil): lane.post()
                case .failure: lane.doubt()
                }
            }
        }
    }

    // MARK: Ending

    /// Ends a request that is not stored: with a failure of unknown outcome, or because another node has the lane.
    func end(_ purpose: LaneAttempt.Purpose, _ failure: JournalFailure?) {
        switch purpose {
        case .commits(let submissions): end(submissions, failure)
        case .forget(_, let done): done(.failure(failure ?? .elsewhere))
        case .mark, .release, .claim: break
        }
    }

    /// Ends all requests that wait.
    func drop(_ failure: JournalFailure?) {
        var submissions: [Submission] = []
        while let request = queue.popFirst() {
            switch request {
            case .commit(let submission): submissions.append(submission)
            case .forget(_, let done): done(.failure(failure ?? .elsewhere))
            case .mark, .release: break
            }
        }
        end(submissions, failure)
    }

    private func end(_ submissions: [Submission], _ failure: JournalFailure?) {
        guard !submissions.isEmpty else { return }
        for submission in submissions { fences.end(submission) }
        Submission.report(submissions, submissions.map { _ in failure.map { .failed($0) } ?? .moved })
    }
}

extension JournalFailure {
    /// Another node owns the lane: nothing was stored.
    static let elsewhere = JournalFailure(.elsewhere, "another node owns the space now: send the request again")
    /// A node with an older program lives.
    static let unreadable = JournalFailure(
        .awaitsUpgrade,
        "a node of the cluster runs an older program, which cannot read what the action would store. Nothing was changed: try again when all nodes are upgraded"
    )
}

/// The content of a batch in parts that fit into entries.
struct PartsWriter {
    private var writer = EntryWriter()
    private(set) var size = 0
    /// The format that the commits need.
    private(set) var format = LogEntry.firstFormat

    mutating func add(_ commit: CommitRecord) {
        format = max(format, CommitCoding.format(of: commit))
        CommitCoding.write(commit, to: &writer)
        size = writer.bytes.count
    }

    /// The content, cut where an entry is full.
    var parts: [[UInt8]] {
        let bytes = writer.bytes
        guard bytes.count > LogEntry.contentLimit else { return [bytes] }
        return stride(from: 0, to: bytes.count, by: LogEntry.contentLimit).map {
            Array(bytes[$0..<min($0 + LogEntry.contentLimit, bytes.count)])
        }
    }
}
