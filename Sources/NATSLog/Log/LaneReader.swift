import Platform
import ReplicatedJournal

/// One reader of a stream: a push consumer that is made anew after a gap, a silence or a lost connection.
final class LaneReader: Sendable {
    /// A message for the receiver, or the server's question whether the messages before it were received.
    private enum Arrival {
        case message(number: Int, subject: String, bytes: [UInt8])
        case flow(String)
    }

    /// One message of the stream.
    struct Message: Sendable {
        let number: Int
        let subject: String
        let bytes: [UInt8]
    }

    private struct ReaderState {
        var progress: DeliveryProgress
        var session: NATSSession?
        var subscription: NATSSubscription?
        /// The number of consumers so far; messages of an earlier one are passed over.
        var generation = 0
        /// The time of the last message or heartbeat.
        var heard: Int64 = 0
        /// True while a consumer is asked for.
        var isStarting = false
        /// The number of answers in a row that the stream does not exist.
        var absences = 0
        var items: [Arrival] = []
        var isScheduled = false
        var isOver = false
    }

    /// The silence, in nanoseconds, after which a consumer counts as lost. Its heartbeat comes every two seconds.
    private static let patience: Int64 = 5_000_000_000
    /// The number of answers that a stream does not exist before the reader gives up. Servers that have just started
    /// can say so of streams that they will find.
    private static let absencesLimit = 8

    private let stream: String
    private let names: LaneNames
    /// True if the reader wants the last message of each subject first, and gaps do not matter.
    private let isWatch: Bool
    private let jobs: JobThread
    private let receive: @Sendable (Result<[Message], NATSFault>) -> Void
    private let content: Lock<ReaderState>

    init(
        _ stream: String, _ names: LaneNames, after number: Int?, _ jobs: JobThread,
        _ receive: @escaping @Sendable (Result<[Message], NATSFault>) -> Void
    ) {
        self.stream = stream
        self.names = names
        isWatch = number == nil
        self.jobs = jobs
        self.receive = receive
        content = Lock(ReaderState(progress: DeliveryProgress(after: number ?? 0)))
    }

    /// Ends the reader. A delivery under way may still arrive.
    func end() {
        let subscription = content.with { content in
            content.isOver = true
            content.items = []
            defer { content.subscription = nil }
            return content.subscription
        }
        subscription?.end()
    }

    /// Looks after the consumer: makes one if there is none, or if it has been silent for too long.
    func tick(_ session: NATSSession, _ now: Int64) {
        let isNeeded = content.with { content in
            guard !content.isOver, !content.isStarting else { return false }
            return content.session !== session || now - content.heard > Self.patience
        }
        if isNeeded { start(session, now) }
    }

    /// Asks for a consumer after the last message that was queued for the receiver.
    private func start(_ session: NATSSession, _ now: Int64) {
        let (generation, after, old) = content.with { content in
            defer { content.subscription = nil }
            content.generation += 1
            content.session = session
            content.isStarting = true
            content.heard = now
            content.progress = DeliveryProgress(after: content.progress.last)
            return (content.generation, content.progress.last, content.subscription)
        }
        old?.end()
        let subject = "\(session.deliveries).\(stream).\(generation)"
        do throws(NATSFault) {
            let subscription = try session.subscribe(subject) { [weak self] message in
                self?.take(message, generation)
            }
            content.with { $0.subscription = subscription }
        } catch {
            // The connection has ended; the next one begins anew.
            return content.with { $0.isStarting = false }
        }
        let wish = names.consumer(of: stream, to: subject, after: isWatch ? nil : after)
        session.ask("CONSUMER.CREATE.\(stream)", wish) { [weak self, weak session] answer in
            guard let self, let session else { return }
            switch answer {
            case .success where isWatch: started(generation, nil)
            case .success: check(session, generation, after)
            case .failure(let fault): started(generation, fault)
            }
        }
    }

    /// Compares the beginning of the consumer with the stream: of a stream that has become empty no message would tell
    /// that entries were trimmed.
    private func check(_ session: NATSSession, _ generation: Int, _ after: Int) {
        session.describe(stream) { [weak self] facts in
            guard let self else { return }
            switch facts {
            case .success(let facts) where facts.first > after + 1:
                started(generation, nil)
                fail(.refused(code: NATSFault.noMessage, "entries were trimmed"))
            case .success: started(generation, nil)
            case .failure(let fault): started(generation, fault)
            }
        }
    }

    /// Notes the consumer, or the fault, and lets another tick try again half a second later.
    private func started(_ generation: Int, _ fault: NATSFault?) {
        let isLost = content.with { content in
            guard content.generation == generation, !content.isOver else { return false }
            content.isStarting = false
            content.absences = fault?.code == NATSFault.noStream ? content.absences + 1 : 0
            if fault != nil { content.heard = MonotonicTime.now - Self.patience + 500_000_000 }
            return !isWatch && content.absences >= Self.absencesLimit
        }
        if isLost, let fault { fail(fault) }
    }

    private func fail(_ fault: NATSFault) {
        guard !content.with(\.isOver) else { return }
        end()
        jobs.run { [receive] in receive(.failure(fault)) }
    }

    // MARK: Messages

    private func take(_ message: NATSMessage, _ generation: Int) {
        if let status = message.field("Status") {
            if status == "100" { takeControl(message, generation) }
            return
        }
        guard let position = message.reply.flatMap({ DeliveryPosition($0) }) else { return }
        let item = Arrival.message(
            number: position.number, subject: isWatch ? message.subject : "", bytes: message.bytes)
        let verdict = content.with { content -> DeliveryProgress.Succession in
            guard content.generation == generation, !content.isOver else { return .repeated }
            content.heard = MonotonicTime.now
            guard !isWatch else {
                content.items.append(item)
                return .next
            }
            let verdict = content.progress.take(position)
            if verdict == .next { content.items.append(item) }
            return verdict
        }
        switch verdict {
        case .next: schedule()
        case .repeated: return
        case .gap: startAgain(generation)
        case .trimmed: fail(.refused(code: NATSFault.noMessage, "entries were trimmed"))
        }
    }

    private func takeControl(_ message: NATSMessage, _ generation: Int) {
        let order = message.field("Nats-Last-Consumer").flatMap { Int($0) }
        let flow = message.reply ?? message.field("Nats-Consumer-Stalled")
        let isWhole = content.with { content in
            guard content.generation == generation, !content.isOver else { return true }
            content.heard = MonotonicTime.now
            if let flow { content.items.append(.flow(flow)) }
            return isWatch || order.map { content.progress.isWhole(at: $0) } ?? true
        }
        if flow != nil { schedule() }
        if !isWhole { startAgain(generation) }
    }

    /// Lets the next tick begin anew.
    private func startAgain(_ generation: Int) {
        content.with { content in
            guard content.generation == generation else { return }
            content.session = nil
        }
    }

    private func schedule() {
        let isNeeded = content.with { content in
            defer { content.isScheduled = true }
            return !content.isScheduled
        }
        if isNeeded { jobs.run { [self] in deliver() } }
    }

    /// Hands over all messages that have arrived, then answers the server's questions: a slow receiver slows the server.
    private func deliver() {
        let (items, session) = content.with { content in
            defer { content.items = [] }
            content.isScheduled = false
            return (content.items, content.session)
        }
        var messages: [Message] = []
        var flows: [String] = []
        for item in items {
            switch item {
            case .message(let number, let subject, let bytes):
                messages.append(Message(number: number, subject: subject, bytes: bytes))
            case .flow(let subject): flows.append(subject)
            }
        }
        if !messages.isEmpty { receive(.success(messages)) }
        for subject in flows {
            // Without the answer the server sends no more, and the silence makes a new consumer.
            try? session?.publish(subject, [])
        }
    }
}

/// The progress of one consumer of a lane: it decides whether the next message follows.
struct DeliveryProgress: Hashable, Sendable {
    /// The verdict on a message.
    enum Succession: Hashable, Sendable {
        /// The message is the next entry.
        case next
        /// The entry was delivered before.
        case repeated
        /// Entries before this one were trimmed.
        case trimmed
        /// Messages between were lost on the way; a new consumer must begin after the last entry.
        case gap
    }

    /// The number of the last entry.
    private(set) var last: Int
    /// The number of messages that the consumer has sent.
    private(set) var order = 0

    /// The progress before the first message, after the entry `last`.
    init(after last: Int) {
        self.last = last
    }

    /// Takes the position of the next message.
    mutating func take(_ position: DeliveryPosition) -> Succession {
        guard position.order == order + 1 else { return position.order <= order ? .repeated : .gap }
        order = position.order
        guard position.number > last else { return .repeated }
        guard position.number == last + 1 else { return position.order == 1 ? .trimmed : .gap }
        last = position.number
        return .next
    }

    /// Returns true if all messages that the consumer has sent by a heartbeat have arrived.
    func isWhole(at heartbeatOrder: Int) -> Bool { heartbeatOrder <= order }
}

/// The position of a delivered message, which its reply subject spells.
struct DeliveryPosition: Hashable, Sendable {
    /// The number in the stream.
    let number: Int
    /// The number among the messages of the consumer, from 1 on.
    let order: Int

    init(number: Int, order: Int) {
        self.number = number
        self.order = order
    }

    /// Reads `$JS.ACK.STREAM.CONSUMER.DELIVERED.NUMBER.ORDER.TIME.PENDING`, or the longer form that has a domain and an
    /// account after `ACK`. Returns nil for other subjects.
    init?(_ subject: String) {
        let parts = subject.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 9 || parts.count >= 11, parts[0] == "$JS", parts[1] == "ACK" else { return nil }
        let offset = parts.count == 9 ? 0 : 2
        guard let number = Int(parts[5 + offset]), let order = Int(parts[6 + offset]), number > 0, order > 0 else {
            return nil
        }
        self.init(number: number, order: order)
    }
}
