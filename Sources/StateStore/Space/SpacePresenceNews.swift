import Reactive

/// The rows of clients whose streams other processes hold.
extension Space {
    /// The time after which the lease of a new process is known here.
    private static let acquaintanceTime = Duration.seconds(10)

    /// Performs the news of a process, once. Replies nil if another node may own the space.
    func receive(_ message: PresenceMessage, _ reply: @escaping (PresenceAnswer?) -> Void) {
        whenHere { failure in
            guard failure == nil, let claim = self.sureClaim else { return reply(nil) }
            self.takeOver(claim)
            switch self.presentClients.receive(message) {
            case .late: reply(nil)
            case .unknown: reply(.unknown)
            case .performed(let outcomes): reply(.done(outcomes))
            case .next:
                self.lookLater(at: message.process)
                self.perform(message, reply)
            }
        }
    }

    /// Looks after a while for a process that is not known to live: its message may have come after its end.
    private func lookLater(at process: String) {
        guard !context.living.contains(process) else { return }
        let scheduler = context.executor.scheduler
        scheduler.set(
            Alarm(at: scheduler.now + Self.acquaintanceTime) { [weak self] _ in
                if let self, context.isOpen { noteLiving(context.living) }
            })
    }

    private func perform(_ message: PresenceMessage, _ reply: @escaping (PresenceAnswer?) -> Void) {
        if message.isWhole {
            let named = Set(message.joins.map { PresenceRow(table: $0.table, key: $0.key) })
            // The other rows may come with the next message.
            for row in presentClients.rows(of: message.process) where !named.contains(row) {
                leave(row, of: message.process, after: Self.announcementTime)
            }
        }
        for row in message.leaves { leave(row, of: message.process) }
        let outcomes = JoinOutcomes(message.joins.count) { outcomes in
            self.presentClients.conclude(message, outcomes)
            reply(.done(outcomes))
        }
        for (index, request) in message.joins.enumerated() {
            join(request, of: message.process) { outcomes.take($0, of: index) }
        }
    }

    /// Takes the processes that live. The clients of the others have left; a process that lives again announces its own.
    func noteLiving(_ processes: Set<String>) {
        for process in presentClients.processes where !processes.contains(process) {
            for row in presentClients.rows(of: process) { leave(row, of: process, after: Self.announcementTime) }
            presentClients.lose(process)
        }
        for process in presentClients.lost where processes.contains(process) {
            presentClients.find(process)
            context.ownership?.tell(process, .presence, of: name)
        }
    }
}

/// The outcomes of the joins of one message, gathered.
private final class JoinOutcomes {
    private var outcomes: [JoinOutcome]
    private var left: Int
    private let done: ([JoinOutcome]) -> Void

    init(_ count: Int, _ done: @escaping ([JoinOutcome]) -> Void) {
        outcomes = Array(repeating: .present(.unknown), count: count)
        left = count
        self.done = done
        if count == 0 { done([]) }
    }

    func take(_ outcome: JoinOutcome, of index: Int) {
        outcomes[index] = outcome
        left -= 1
        if left == 0 { done(outcomes) }
    }
}
