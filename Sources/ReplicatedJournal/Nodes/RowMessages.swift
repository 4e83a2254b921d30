internal import Ground
internal import Reactive
internal import StateStore

/// The messages between nodes about rows in memory only. None of them goes through the log.
///
/// The owner of a lane serves `rows.LANE`. Each node serves `told.NODE`, and learns there of which spaces it has to ask
/// the owner again.
extension ClusterNode {
    /// The time after a claim before the owner answers with rows: the nodes announce the clients that are present.
    private static let announcementTime = Duration.milliseconds(300)
    /// The time for which news for a process are gathered.
    private static let gatherTime = Duration.milliseconds(10)
    private static let retryTime = Duration.milliseconds(250)
    /// The time after which a process that does not answer is gone. Its lease has ended long before, and with a new one it
    /// asks for everything again.
    private static let giveUpTime = Duration.seconds(60)
    /// The time for one attempt.
    private static let attemptTime = Duration.seconds(1)
    /// The maximum number of spaces in one message.
    private static let messageLimit = 1_000

    private enum RowMessage: UInt8 {
        case rows = 0
        case presence = 1
    }

    /// The news for one process.
    final class PendingNews {
        var spaces: [NodeNews: Set<SpaceName>] = [:]
        var isUnderWay = false
        /// The time of the first failure in succession.
        var failing: Instant?

        var isEmpty: Bool { spaces.values.allSatisfy(\.isEmpty) }
    }

    // MARK: Questions to the owner

    func ask(_ request: RowsRequest, _ done: @escaping @Sendable (RowsAnswer?) -> Void) {
        guard isOpen else { return done(nil) }
        let body = [RowMessage.rows.rawValue] + RowsCoding.bytes(of: request)
        log.ask("rows.\(status.lane(of: request.space))", body, timeout: Self.attemptTime) { result in
            // An answer that is missing, empty or wrong is none: the follower asks again.
            done((try? result.get()).flatMap { try? RowsCoding.answer($0) })
        }
    }

    func send(
        _ message: PresenceMessage, in space: SpaceName, _ done: @escaping @Sendable (PresenceAnswer?) -> Void
    ) {
        guard isOpen else { return done(nil) }
        let body = [RowMessage.presence.rawValue] + PresenceCoding.bytes(of: message, in: space)
        log.ask("rows.\(status.lane(of: space))", body, timeout: Self.attemptTime) { result in
            // So is this one: the holder sends the message again, and the owner performs it once.
            done((try? result.get()).flatMap { $0.isEmpty ? nil : try? PresenceCoding.answer($0) })
        }
    }

    /// Answers a message for the owner of a lane, with nothing if it has to be sent again.
    func answerRows(_ body: [UInt8], of lane: Lane, _ reply: @escaping @Sendable ([UInt8]) -> Void) {
        guard isOpen, let rowService, status.isFresh([lane]), let first = body.first,
            let kind = RowMessage(rawValue: first)
        else { return reply([]) }
        do throws(EntryFault) {
            switch kind {
            case .rows:
                let request = try RowsCoding.request(body.dropFirst())
                let since = servedSince[lane] ?? executor.scheduler.now
                let isAnnounced = executor.scheduler.now >= since + Self.announcementTime
                guard status.lane(of: request.space) == lane, isAnnounced else { return reply([]) }
                rowService.rows(request) { reply($0.map { RowsCoding.bytes(of: $0) } ?? []) }
            case .presence:
                let (message, space) = try PresenceCoding.message(body.dropFirst())
                guard status.lane(of: space) == lane else { return reply([]) }
                rowService.presence(message, space) { reply($0.map { PresenceCoding.bytes(of: $0) } ?? []) }
            }
        } catch {
            reply([])
        }
    }

    // MARK: News

    /// Tells a process of a space, with what it has to be told otherwise.
    func tell(_ process: String, _ news: NodeNews, of space: SpaceName) {
        guard isOpen else { return }
        let pending = pendingNews[process] ?? PendingNews()
        pendingNews[process] = pending
        let wasEmpty = pending.isEmpty
        pending.spaces[news, default: []].insert(space)
        if wasEmpty, !pending.isUnderWay { sendNews(to: process, after: Self.gatherTime) }
    }

    private func sendNews(to process: String, after delay: Duration) {
        pendingNews[process]?.isUnderWay = true
        let scheduler = executor.scheduler
        scheduler.set(Alarm(at: scheduler.now + delay) { [weak self] _ in self?.sendNews(to: process) })
    }

    private func sendNews(to process: String) {
        guard isOpen, let pending = pendingNews[process] else { return }
        var writer = EntryWriter()
        var sent: [NodeNews: Set<SpaceName>] = [:]
        for news in [NodeNews.rows, .presence] {
            sent[news] = Set(pending.spaces[news, default: []].sorted().prefix(Self.messageLimit))
            pending.spaces[news]?.subtract(sent[news] ?? [])
            writer.count(sent[news]?.count ?? 0)
            for space in sent[news] ?? [] { writer.text(space.description) }
        }
        let node = process.prefix { $0 != "/" }
        let (owned, told) = (Confined(self), sent)
        log.ask("told.\(node)", writer.bytes, timeout: Self.attemptTime) { result in
            let isHeard = if case .success = result { true } else { false }
            owned.value.executor.post { owned.value.note(isHeard, told, by: process) }
        }
    }

    private func note(_ isHeard: Bool, _ sent: [NodeNews: Set<SpaceName>], by process: String) {
        guard isOpen, let pending = pendingNews[process] else { return }
        pending.isUnderWay = false
        guard !isHeard else {
            pending.failing = nil
            if pending.isEmpty { pendingNews[process] = nil } else { sendNews(to: process, after: Self.gatherTime) }
            return
        }
        let now = executor.scheduler.now
        let since = pending.failing ?? now
        pending.failing = since
        guard now < since + Self.giveUpTime else {
            pendingNews[process] = nil
            return
        }
        for (news, spaces) in sent { pending.spaces[news, default: []].formUnion(spaces) }
        sendNews(to: process, after: Self.retryTime)
    }

    /// Takes what the owner of some spaces has told.
    func hear(_ body: [UInt8]) {
        guard let rowService else { return }
        var reader = EntryReader(body)
        // What another program may have written otherwise is ignored.
        for news in [NodeNews.rows, .presence] {
            guard let count = try? reader.count(of: 1) else { return }
            for _ in 0..<count {
                guard let text = try? reader.text(), let space = SpaceName(text) else { return }
                rowService.told(news, space)
            }
        }
    }

    // MARK: Processes

    /// Tells this process which processes live, if that has changed.
    func noteProcesses() {
        var processes = Set(membership.living.map(\.process))
        processes.insert(membership.lease.process)
        guard let rowService, processes != livingProcesses else { return }
        livingProcesses = processes
        rowService.living(processes)
    }
}

extension Lease {
    /// The process that wrote the lease, by a name that no other process has.
    var process: String { "\(node)/\(String(instance, radix: 36))" }
}
