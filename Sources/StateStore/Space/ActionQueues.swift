import JSON
import Reactive

/// The last action of each client that queues actions in a space, and the actions that wait for their predecessors.
struct ActionQueues {
    /// The maximum number of clients. The oldest is dropped for one more.
    static let clientsLimit = 10_000
    /// The time for which a client is kept after its last action.
    static let memory = Duration.seconds(30 * 24 * 60 * 60)
    /// The time that an action waits for its predecessors.
    static let patience = Duration.seconds(3)
    /// The maximum number of actions that wait.
    static let waitingLimit = 1_000

    /// The next step for an action.
    enum QueueCourse {
        /// It is the next one: perform it.
        case next
        /// It was performed: give its answer again.
        case repeated(LastAction)
        /// Its number belongs to another action or input.
        case reused
        /// Later actions were answered already.
        case answeredBefore(last: Int)
        /// Its predecessors are missing or under way.
        case early
    }

    /// An action that waits for its predecessors.
    final class WaitingAction {
        let call: Call
        let position: QueuePosition
        let deadline: Instant
        let reply: Space.Reply

        init(_ call: Call, _ position: QueuePosition, until deadline: Instant, _ reply: @escaping Space.Reply) {
            (self.call, self.position, self.deadline, self.reply) = (call, position, deadline, reply)
        }
    }

    /// The actions of a client that are remembered.
    private struct ClientEntry {
        var last: LastAction
        /// True if the journal has an action of the client.
        var isStored: Bool
        /// The numbers at earlier versions that may still be the ones that readers are shown.
        var earlier: [(version: Int, number: Int)] = []
    }

    private var entries: [String: ClientEntry] = [:]
    /// The clients that go next, the last one first, unless they have acted since.
    private var oldest: ArraySlice<(at: Timestamp, key: String)> = []
    /// The clients whose last action is not stored yet.
    private var unstored: Set<String> = []
    private var underWay: [String: Int] = [:]
    private var waiting: [String: [WaitingAction]] = [:]
    private var waitingCount = 0

    /// True if no client has queued anything.
    var isEmpty: Bool { entries.isEmpty }
    /// True if an action waits or is under way.
    var isBusy: Bool { waitingCount > 0 || !underWay.isEmpty }
    /// The bytes of the entries, about.
    var size: Int { entries.count * 256 }
    /// True if a commit has last actions to carry.
    var hasUnstored: Bool { !unstored.isEmpty }

    /// The name of a client of a subject in facts.
    static func key(_ client: String, _ subject: String) -> String { "\(client) \(subject)" }

    // MARK: Deciding

    /// Decides what happens to an action.
    func course(of position: QueuePosition, _ key: String, fingerprint: UInt64, at now: Timestamp) -> QueueCourse {
        let kept = entries[key]?.last
        let known = kept.flatMap { $0.at >= now - Self.memory ? $0 : nil }
        let last = max(known?.number ?? 0, position.answered)
        if let known, known.number == position.number, last == position.number {
            return known.fingerprint == fingerprint ? .repeated(known) : .reused
        }
        if position.number <= last { return .answeredBefore(last: last) }
        return position.number > last + 1 || underWay[key] != nil ? .early : .next
    }

    /// Returns the number of a client's last action up to a version; 0 for none.
    func number(of key: String, at version: Int) -> Int {
        guard let entry = entries[key] else { return 0 }
        if entry.last.version <= version { return entry.last.number }
        return entry.earlier.last { $0.version <= version }?.number ?? 0
    }

    /// Returns the last action of a client.
    func last(_ key: String) -> LastAction? { entries[key]?.last }

    // MARK: Performing

    /// Notes that an action is being performed.
    mutating func begin(_ key: String, _ number: Int) { underWay[key] = number }

    /// Notes that an action was performed.
    mutating func end(_ key: String, _ number: Int) {
        if underWay[key] == number { underWay[key] = nil }
    }

    /// Returns true if an action is the last one of its client.
    func hasTaken(_ key: String, _ number: Int) -> Bool { entries[key]?.last.number == number }

    /// Takes the outcome of an action; `durable` is the version that readers are shown at least. Returns the key of the
    /// client that goes for it, if its removal has to be stored.
    mutating func note(_ action: LastAction, _ key: String, durable: Int) -> String? {
        let removed = entries[key] == nil ? makeRoom() : nil
        var entry = ClientEntry(last: action, isStored: action.isCommitted || entries[key]?.isStored == true)
        if let old = entries[key] {
            entry.earlier = old.earlier + [(old.last.version, old.last.number)]
            let shown = entry.earlier.lastIndex { $0.version <= durable } ?? 0
            entry.earlier.removeFirst(shown)
        }
        entries[key] = entry
        if action.isCommitted { unstored.remove(key) } else { unstored.insert(key) }
        return removed
    }

    /// Removes the oldest client if there are too many. Returns it if its removal has to be stored.
    private mutating func makeRoom() -> String? {
        guard entries.count >= Self.clientsLimit else { return nil }
        while true {
            if oldest.isEmpty { findOldest() }
            let (at, key) = oldest.removeLast()
            guard let entry = entries[key], entry.last.at == at else { continue }
            entries[key] = nil
            unstored.remove(key)
            return entry.isStored ? key : nil
        }
    }

    /// Finds the clients that go next, many at once, so that a stream of new clients does not search each time.
    private mutating func findOldest() {
        let ages = entries.map { (at: $0.value.last.at, key: $0.key) }
        oldest = ages.sorted { ($0.at, $0.key) > ($1.at, $1.key) }.suffix(256)
    }

    /// The last actions that no commit has carried.
    var uncarried: [String: LastAction] { entries.filter { unstored.contains($0.key) }.mapValues(\.last) }

    /// Takes the last actions that no commit had carried when the space left memory.
    mutating func adopt(_ actions: [String: LastAction]) {
        for (key, last) in actions {
            entries[key] = ClientEntry(last: last, isStored: false)
            unstored.insert(key)
        }
    }

    /// Appends the last actions that no commit has carried.
    mutating func takeUnstored(into facts: inout Facts) {
        for key in unstored.sorted() {
            guard let last = entries[key]?.last else { continue }
            entries[key]?.isStored = true
            facts.append(Fact(variable: Fact.queueVariable, entry: key, value: last.bytes))
        }
        unstored = []
    }

    /// Drops what the last actions answered, because a row was erased, and appends what is kept of them.
    mutating func eraseContent(into facts: inout Facts) {
        for key in entries.filter({ $0.value.last.hasContent }).map(\.key).sorted() {
            guard let last = entries[key]?.last.withoutContent else { continue }
            entries[key]?.last = last
            entries[key]?.isStored = true
            facts.append(Fact(variable: Fact.queueVariable, entry: key, value: last.bytes))
        }
    }

    // MARK: Waiting

    /// Lets an action wait. Returns false if too many wait.
    mutating func wait(_ action: WaitingAction, _ key: String) -> Bool {
        guard waitingCount < Self.waitingLimit else { return false }
        waiting[key, default: []].append(action)
        waitingCount += 1
        return true
    }

    /// Removes an action that waits. Returns false if it does not wait any more.
    mutating func stopWaiting(_ action: WaitingAction, _ key: String) -> Bool {
        guard let index = waiting[key]?.firstIndex(where: { $0 === action }) else { return false }
        waiting[key]?.remove(at: index)
        if waiting[key]?.isEmpty == true { waiting[key] = nil }
        waitingCount -= 1
        return true
    }

    /// Removes and returns the actions of a client that wait, in the order of their numbers.
    mutating func takeWaiting(_ key: String) -> [WaitingAction] {
        guard underWay[key] == nil, let actions = waiting.removeValue(forKey: key) else { return [] }
        waitingCount -= actions.count
        return actions.sorted { $0.position.number < $1.position.number }
    }

    // MARK: The journal

    /// Takes the facts of a loaded space. Last actions that were answered without a commit stay.
    mutating func restore(_ facts: [Fact]) throws(JSONError) {
        let kept = entries.filter { !$0.value.last.isCommitted }
        entries = [:]
        unstored = []
        for fact in facts where fact.isOfQueue { try take(fact) }
        for (key, entry) in kept where entries[key]?.last.number ?? 0 < entry.last.number {
            entries[key] = ClientEntry(last: entry.last, isStored: entries[key] != nil)
            unstored.insert(key)
        }
    }

    /// Takes a fact of a commit.
    mutating func take(_ fact: Fact) throws(JSONError) {
        guard let key = fact.entry else { return }
        guard let value = fact.value else {
            entries[key] = nil
            return
        }
        entries[key] = ClientEntry(last: try LastAction(value), isStored: true)
        unstored.remove(key)
    }

    /// Drops the outcomes that rest on versions which were not stored.
    mutating func undo(after durable: Int) {
        for (key, entry) in entries where entry.last.version > durable {
            entries[key] = nil
            unstored.remove(key)
        }
    }

    /// Drops all clients, because the space was deleted.
    mutating func dropAll() {
        entries = [:]
        unstored = []
    }
}

/// Actions in the queue of their client: each is performed once, after those before it.
extension Space {
    /// Performs a call in the queue of its client, or gives the answer that it had.
    func perform(
        _ call: Call, in position: QueuePosition, attempts: Int = 0, until deadline: Instant? = nil,
        _ reply: @escaping Reply
    ) {
        let key = ActionQueues.key(position.client, call.by)
        switch queues.course(of: position, key, fingerprint: call.fingerprint, at: context.now) {
        case .next: performNext(call, position, key, attempts: attempts, reply)
        case .repeated(let last): repeatAnswer(last, to: call, position, reply)
        case .reused: replyDurably(.failure(.numberReused), to: call, position, reply)
        case .answeredBefore(let last):
            replyDurably(.failure(.answeredBefore(last: last)), to: call, position, reply)
        case .early: wait(call, position, key, until: deadline, reply)
        }
    }

    private func performNext(
        _ call: Call, _ position: QueuePosition, _ key: String, attempts: Int, _ reply: @escaping Reply
    ) {
        guard position.isTimely(at: context.now) else { return reply(.failure(.clock)) }
        queues.begin(key, position.number)
        let finish: Reply = { result in
            self.queues.end(key, position.number)
            reply(result)
            self.context.queueMoved?(self.name)
            self.admitWaiting(key)
            self.noteUse()
        }
        if let idempotencyKey = call.key {
            perform(call, key: idempotencyKey, finish)
        } else {
            perform(call, attempts: attempts, finish)
        }
        // The next action builds on this one, and need not wait until it is durable.
        guard queues.hasTaken(key, position.number) else { return }
        queues.end(key, position.number)
        admitWaiting(key)
    }

    /// Takes the outcome of a call in a queue. `isCommitted` is true if the call makes a commit.
    func noteQueued(_ call: Call, _ result: Result<Answer, Refusal>, isCommitted: Bool, at: Timestamp) {
        guard let position = call.position else { return }
        let outcome: LastAction.LastOutcome
        switch result {
        case .success(let answer): outcome = .answered(changed: answer.changed, result: answer.result)
        case .failure(let refusal) where LastAction.isKept(refusal): outcome = .refused(refusal)
        case .failure: return
        }
        let action = LastAction(
            number: position.number, version: state.version, at: at, fingerprint: call.fingerprint, outcome: outcome,
            isCommitted: isCommitted)
        let key = ActionQueues.key(position.client, call.by)
        if let gone = queues.note(action, key, durable: state.durable) { goneClients.append(gone) }
    }

    /// Takes the success of a call: with its commit if it has changes. Every road of a commit by a call goes through here.
    @inline(__always)
    func noteInQueue(_ call: Call, _ answer: Answer, at: Timestamp, into facts: inout Facts) {
        guard call.position != nil || queues.hasUnstored else { return }
        if facts.isEmpty {
            noteQueued(call, .success(answer), isCommitted: false, at: at)
        } else {
            appendQueueFacts(call, answer, at: at, into: &facts)
        }
    }

    /// Appends the facts about queues to those of a commit of a call: its own, those that no commit has carried, and the
    /// clients that have gone.
    private func appendQueueFacts(_ call: Call, _ answer: Answer, at: Timestamp, into facts: inout Facts) {
        for key in goneClients { facts.append(Fact(variable: Fact.queueVariable, entry: key, value: nil)) }
        goneClients = []
        if let position = call.position {
            noteQueued(call, .success(answer), isCommitted: true, at: at)
            let key = ActionQueues.key(position.client, call.by)
            if let last = queues.last(key) {
                facts.append(Fact(variable: Fact.queueVariable, entry: key, value: last.bytes))
            }
        }
        queues.takeUnstored(into: &facts)
    }

    private func repeatAnswer(
        _ last: LastAction, to call: Call, _ position: QueuePosition, _ reply: @escaping Reply
    ) {
        if let refusal = refusal(ofViewsOf: call) { return reply(.failure(refusal)) }
        let (views, moment) = (frames(of: call), answerMoment)
        let result: Result<Answer, Refusal> =
            switch last.outcome {
            case .refused(let refusal): .failure(.repeated(RepeatedRefusal(refusal)))
            case .answered(let changed, let result):
                .success(
                    Answer(
                        version: last.version, changed: changed, result: result, views: views, moment: moment,
                        isReplay: true))
            }
        replyDurably(result, to: call, position, reply)
    }

    /// Gives a result that rests on earlier actions of the queue once these are durable. If they are not stored, the call
    /// is looked at again.
    private func replyDurably(
        _ result: Result<Answer, Refusal>, to call: Call, _ position: QueuePosition, _ reply: @escaping Reply
    ) {
        whenDurable { isDurable in
            if isDurable { return reply(result) }
            self.whenHere { failure in
                if let failure { return reply(.failure(.journal(failure))) }
                self.perform(call, in: position, reply)
            }
        }
    }

    private func wait(
        _ call: Call, _ position: QueuePosition, _ key: String, until deadline: Instant?, _ reply: @escaping Reply
    ) {
        let scheduler = context.executor.scheduler
        let end = deadline ?? scheduler.now + ActionQueues.patience
        let action = ActionQueues.WaitingAction(call, position, until: end, reply)
        guard end > scheduler.now, queues.wait(action, key) else { return reply(.failure(.outOfOrder)) }
        scheduler.set(
            Alarm(at: end) { [weak self] _ in
                guard let self, context.isOpen, queues.stopWaiting(action, key) else { return }
                reply(.failure(.outOfOrder))
                noteUse()
            })
    }

    /// Performs the actions of a client that waited, as far as their predecessors are there.
    private func admitWaiting(_ key: String) {
        for action in queues.takeWaiting(key) {
            whenHere { failure in
                if let failure { return action.reply(.failure(.journal(failure))) }
                self.perform(action.call, in: action.position, until: action.deadline, action.reply)
            }
        }
    }
}
